import type { PageSize, Typesetter } from '@counterfoil/pdf-writer'
import { MARGIN } from '../table/shape-table.ts'
import type { Alignment, TableShape } from '../table/table-column.ts'

/** A column of a statement's table, with its share of the page. */
interface StatementColumn {
  readonly title: string
  readonly alignment: Alignment
  readonly share: number
  /** Whether its values have a decimal point. */
  readonly isAmount: boolean
}

const FONT_SIZE = 8.5
const GAP = 9

const text = (title: string, share: number): StatementColumn => {
  return { title, alignment: 'left', share, isAmount: false }
}
const amount = (title: string): StatementColumn => {
  return { title, alignment: 'point', share: 68, isAmount: true }
}

/** The columns of the overview of accounts. */
export const ACCOUNT_COLUMNS: readonly StatementColumn[] = [
  text('Holder', 100),
  text('Account', 88),
  text('Currency', 42),
  amount('Opening balance'),
  amount('Movements'),
  amount('Closing balance'),
]

/**
 * Places the columns of a table across the page. All tables of a document have the same columns in the same places, so
 * that a reader finds an amount where the page before had it.
 *
 * @param fraction the separator and the fraction digits of amounts
 */
export function statementTable(
  typesetter: Typesetter,
  columns: readonly StatementColumn[],
  { width }: PageSize,
  fraction: string,
): TableShape {
  const room = width - 2 * MARGIN - (columns.length - 1) * GAP
  const shares = columns.reduce((sum, { share }) => sum + share, 0)
  let left = MARGIN
  const placed = columns.map(({ title, alignment, share, isAmount }, field) => {
    const column = {
      title,
      alignment,
      field,
      left,
      width: (share * room) / shares,
      fraction: isAmount ? (typesetter.width(fraction, 'bold') * FONT_SIZE) / 1000 : 0,
    }
    left += column.width + GAP
    return column
  })
  return { bands: [placed], fontSize: FONT_SIZE, left: MARGIN, right: width - MARGIN }
}
