import * as z from 'zod'
import { type Queries, readNumber, readRows } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import { migrateLedger, RELOAD_NAMES } from '@counterfoil/ledger'
import { DAYS, makeCalendar, splitDays } from './calendar.ts'
import { countEntities } from './entities.ts'
import { insertEntities, insertStatements, insertTransactions } from './insert-tables.ts'

/** Options of a generated ledger. */
export interface GenerateOptions {
  /** How many transactions, at least 1,000. */
  readonly rows: number
  /** A whole number. Another seed makes another ledger. */
  readonly seed: number
  /** Called with the number of transactions done so far. */
  readonly onProgress?: (rowsDone: number) => void
}

// The most rows of one statement, which needs about 1 KiB of memory for each. A month with more rows gets more parts.
const ROWS_AT_ONCE = 400_000
const MERCHANTS_AT_ONCE = 200

/**
 * Fills an empty ledger with generated transactions of 34 months up to the end of October 2026, their entities, and
 * their statements. The engine computes everything from the seed and each row's number, so the same seed and number of
 * rows make the same ledger on every machine.
 *
 * @throws {GatewayError} `ledger` if the ledger has transactions
 */
export async function generateLedger(engine: Queries, options: GenerateOptions): Promise<void> {
  const { rows, seed, onProgress } = options
  await migrateLedger(engine)
  const sql = 'SELECT count() AS value FROM transactions'
  const present = await readNumber(engine, sql, new AbortController().signal)
  if (present > 0) {
    const message = `The ledger already holds ${present} transactions. Generate into an empty ledger`
    throw new GatewayError('ledger', message)
  }
  const entities = countEntities(rows)
  for (const statement of insertEntities(entities)) await engine.execute(statement)
  const calendar = makeCalendar(rows)
  for (const days of splitDays(calendar, ROWS_AT_ONCE)) {
    await engine.execute(insertTransactions('transactions', calendar, entities, days), { seed })
    const roots = (calendar.starts[days[1]] ?? 0) / (calendar.starts[DAYS] ?? 1)
    if (days[1] < DAYS) onProgress?.(Math.floor(rows * roots))
  }
  for (let merchant = 1; merchant <= entities.merchants; merchant += MERCHANTS_AT_ONCE) {
    await engine.execute(insertStatements(entities, [merchant, merchant + MERCHANTS_AT_ONCE]))
  }
  await engine.execute(RELOAD_NAMES)
  onProgress?.(rows)
}

/** Reads the count and the sum of each currency's transactions, which an independent program can verify. */
export async function controlSums(engine: Queries) {
  const row = z.object({ currency: z.string(), count: z.coerce.number(), sum: z.string() })
  return await readRows(engine, row, {
    sql: `SELECT currency, count() AS count, toString(sum(amount)) AS sum FROM transactions FINAL
    GROUP BY currency ORDER BY currency`,
  })
}
