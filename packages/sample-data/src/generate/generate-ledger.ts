import * as z from 'zod'
import {
  type Engine,
  GatewayError,
  migrateLedger,
  readRows,
  reloadNames,
} from '@counterfoil/gateway'
import { DAYS, makeCalendar, splitDays } from './calendar.ts'
import { countEntities } from './entities.ts'
import { insertEntities } from './insert-entities.ts'
import { insertStatements } from './insert-statements.ts'
import { insertTransactions } from './insert-transactions.ts'

/** What a ledger is made of. */
export interface GenerateOptions {
  /** How many transactions, 1,000 at least. */
  readonly rows: number
  /** Another seed makes another ledger; a whole number. */
  readonly seed: number
  /** Hears how many transactions are there by now. */
  readonly onProgress?: (rowsDone: number) => void
}

/** What an independent program must find again: the transactions of a currency, and the sum of their amounts. */
export interface ControlSum {
  readonly currency: string
  readonly count: number
  /** Decimal text. */
  readonly sum: string
}

// The most that is made at once, in memory: about 1 KiB each. Where a month has more, its partition gets more parts.
const ROWS_AT_ONCE = 400_000
const MERCHANTS_AT_ONCE = 200

/**
 * Fills an empty ledger with made-up transactions of 34 months up to the end of October 2026, what they belong to, and
 * their statements. The engine makes everything of the seed and of each row's number: the same seed and number of rows
 * make the same ledger on any machine. Throws `ledger` where transactions are there already.
 */
export async function generateLedger(engine: Engine, options: GenerateOptions): Promise<void> {
  const { rows, seed, onProgress } = options
  await migrateLedger(engine)
  await refuseTransactions(engine)
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
  await reloadNames(engine)
  onProgress?.(rows)
}

/** The control sums of what the ledger holds, by currency. */
export async function controlSums(engine: Engine): Promise<readonly ControlSum[]> {
  const row = z.object({ currency: z.string(), count: z.coerce.number(), sum: z.string() })
  return await readRows(engine, row, {
    sql: `SELECT currency, count() AS count, toString(sum(amount)) AS sum FROM transactions FINAL
    GROUP BY currency ORDER BY currency`,
    parameters: {},
  })
}

async function refuseTransactions(engine: Engine): Promise<void> {
  const [found] = await readRows(engine, z.object({ count: z.coerce.number() }), {
    sql: 'SELECT count() AS count FROM transactions',
    parameters: {},
  })
  if (!found?.count) return
  const message = `expected a ledger without transactions, found ${found.count}`
  throw new GatewayError('ledger', `${message}: made-up ones do not go beside others`)
}
