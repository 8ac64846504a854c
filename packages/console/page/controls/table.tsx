import { formatCount } from '../answer/amounts.ts'
import { visibleText } from './visible-text.ts'

interface TableProps {
  /** What the table holds, for those who do not see it. */
  readonly name: string
  readonly rows: readonly (readonly string[])[]
  readonly titles?: readonly string[]
  /** Whether a column, counted from 0, holds numbers. */
  readonly isNumber?: (column: number) => boolean
}

/** Rows that a table shows. The page draws all of them at once. */
const ROWS_MAX = 2_000

export function Table({ name, rows, titles, isNumber = () => false }: TableProps) {
  const classOf = (column: number) => (isNumber(column) ? 'number' : undefined)
  return (
    <div class="scroll" role="region" tabIndex={0} aria-label={name}>
      <table>
        {titles && (
          <thead>
            <tr>
              {titles.map((title, index) => (
                <th key={title} scope="col" class={classOf(index)}>
                  <CellText text={title} />
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.slice(0, ROWS_MAX).map((cells, row) => (
            <tr key={row}>
              {cells.map((text, index) => (
                <td key={index} class={classOf(index)}>
                  <CellText text={text || '–'} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > ROWS_MAX && (
        <p class="note">
          The table has the first {formatCount(ROWS_MAX)} of {formatCount(rows.length)} rows. For
          the others, download the report.
        </p>
      )}
    </div>
  )
}

export function Facts({ facts }: { readonly facts: Readonly<Record<string, string | undefined>> }) {
  return (
    <dl>
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** Shows a text from the gateway. Nothing in it acts on what stands around it. */
export function CellText({ text }: { readonly text: string }) {
  return (
    <bdi>
      {visibleText(text).map(({ text: part, isMark }, index) => (
        <span key={index} class={isMark ? 'unseen' : ''}>
          {part}
        </span>
      ))}
    </bdi>
  )
}
