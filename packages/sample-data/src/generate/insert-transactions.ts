import { TRANSACTION_COLUMNS } from '@counterfoil/ledger'
import type { Calendar, DayRange } from './calendar.ts'
import { CARD_COLUMNS } from './card-columns.ts'
import type { Entities } from './entities.ts'
import { MONEY_COLUMNS } from './money-columns.ts'
import { ORDER_COLUMNS } from './order-columns.ts'
import { OUTCOME_COLUMNS } from './outcome-columns.ts'
import { partyColumns } from './party-columns.ts'
import { NUMBER_COLUMNS, selectNumbers } from './select-numbers.ts'
import { selectLayered } from './sql.ts'
import { TIME_COLUMNS } from './time-columns.ts'

// The rows arrive as one block, which the engine sorts and writes once: one part a partition. Each row is another
// transaction, so the engine need not look for versions. Merging the queries would bring back the long names that
// `selectLayered` avoids.
const SETTINGS = `max_insert_threads = 1, min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 0,
  optimize_on_insert = 0, query_plan_merge_expressions = 0`

/**
 * The statement that inserts the transactions of some days. It uses only their numbers and `{seed:UInt64}`, in whole
 * numbers, so days can be made in any order and on any machine.
 */
export function insertTransactions(
  table: string,
  calendar: Calendar,
  entities: Entities,
  days: DayRange,
): string {
  const made = {
    ...partyColumns(entities),
    ...TIME_COLUMNS,
    ...OUTCOME_COLUMNS,
    ...CARD_COLUMNS,
    ...MONEY_COLUMNS,
    ...ORDER_COLUMNS,
  }
  const columns = Object.keys(TRANSACTION_COLUMNS)
  const rows = selectLayered(selectNumbers(calendar, days), NUMBER_COLUMNS, made, columns)
  return `INSERT INTO ${table} (${columns.join(', ')})
    SELECT ${columns.join(', ')} FROM (${rows}) SETTINGS ${SETTINGS}`
}
