import { CellText } from './cell-text.tsx'

interface TableProps {
  /** What the table holds, for those who do not see it. */
  readonly name: string
  readonly rows: readonly (readonly string[])[]
  readonly titles?: readonly string[]
  /** How many columns at the end hold numbers. */
  readonly numbers?: number
}

/** A table of few rows. The first cell of each row names the row. */
export function Table({ name, rows, titles, numbers = 0 }: TableProps) {
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
                <th key={title} scope="col" class={classOf(titles, index)}>
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

interface FactsProps {
  readonly facts: readonly (readonly [name: string, value: string | number | undefined])[]
}

/** Names with their values, without those that have none. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl>
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
