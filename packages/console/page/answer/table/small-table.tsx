import { CellText } from './cell-text.tsx'

interface SmallTableProps {
  /** What the table holds, for those who do not see it. */
  readonly name: string
  readonly rows: readonly (readonly string[])[]
  readonly titles?: readonly string[]
  /** How many columns at the end hold numbers. */
  readonly numbers?: number
}

/** A table of few rows. The first cell of each row names the row. */
export function SmallTable({ name, rows, titles, numbers = 0 }: SmallTableProps) {
  const classOf = (cells: readonly string[], index: number) => {
    return index >= cells.length - numbers ? 'number' : undefined
  }
  return (
    <div class="scroll" role="region" tabIndex={0} aria-label={name}>
      <table>
        {titles && (
          <thead>
            <tr>
              {titles.map((title, index) => (
                <th key={title} class={classOf(titles, index)}>
                  <CellText text={title} />
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((cells) => (
            <tr key={cells.join('\n')}>
              {cells.map((text, index) => (
                <td key={index} class={classOf(cells, index)}>
                  <CellText text={text || '–'} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
