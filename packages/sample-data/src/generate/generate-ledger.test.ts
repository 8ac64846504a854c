// @module-tag long

import { FILTER_NAMES } from '@counterfoil/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { FILTER_COLUMNS, HIERARCHY, ROLE_COLUMNS, TRANSACTION_COLUMNS } from '@counterfoil/ledger'
import { readRows } from '@counterfoil/engine'
import { openScratchLedger, type ScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { type DayRange, DAYS, makeCalendar } from './calendar.ts'
import { controlSums, generateLedger } from './generate-ledger.ts'
import { countEntities } from './entities.ts'
import { insertTransactions } from './insert-tables.ts'
import { selectNumbers } from './select-numbers.ts'

const ROWS = 10_000
const SEED = 1

let scratch: ScratchLedger
const progress: number[] = []
beforeAll(async () => {
  scratch = await openScratchLedger()
  const onProgress = (done: number): void => void progress.push(done)
  await generateLedger(scratch.engine, { rows: ROWS, seed: SEED, onProgress })
})
afterAll(() => scratch.close())

const rowOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape)

/** Returns the values of a query's first row, joined as text. */
async function value(sql: string, parameters: Record<string, number> = {}): Promise<string> {
  const rows = await readRows(scratch.engine, z.record(z.string(), z.coerce.string()), {
    sql,
    parameters,
  })
  return Object.values(rows[0] ?? {}).join(' ')
}

/** Returns a hash of the transactions of a table, whenever the ledger received them. */
async function contentOf(table: string): Promise<string> {
  // As text, because a hash of columns would be NULL if one of them is NULL.
  const rows = 'toString(sum(cityHash64(toString(tuple(* EXCEPT loaded_at)))))'
  return await value(`SELECT ${rows} FROM ${table}`)
}

/** Generates transactions of some days in a separate table, and returns a hash of the table. */
async function contentOfDays(seed: number, ranges: readonly DayRange[]): Promise<string> {
  await scratch.engine.execute('DROP TABLE IF EXISTS others')
  await scratch.engine.execute('CREATE TABLE others AS transactions')
  const [calendar, entities] = [makeCalendar(ROWS), countEntities(ROWS)]
  for (const days of ranges) {
    const statement = insertTransactions('others', calendar, entities, days)
    await scratch.engine.execute(statement, { seed })
  }
  return await contentOf('others')
}

describe('a ledger', () => {
  // These sums are published: every machine that generates this ledger gets them.
  test('of seed 1 has the published control sums', async () => {
    const sums = await controlSums(scratch.engine)
    expect(sums.map(({ currency, count, sum }) => `${currency} ${count} ${sum}`)).toEqual([
      'BHD 5 161.62',
      'BRL 200 114972.71',
      'CHF 45 4703.56',
      'EUR 3995 448242.22',
      'GBP 982 94891.19',
      'INR 460 3322835.63',
      'JPY 653 32859549',
      'KRW 22 2064636',
      'KWD 16 596.987',
      'KZT 71 3267716',
      'PLN 441 130938.8',
      'SEK 42 37127.51',
      'TND 7 1528.772',
      'TRY 306 1634506.14',
      'USD 2755 268402.32',
    ])
    expect(sums.reduce((total, { count }) => total + count, 0)).toBe(ROWS)
  })

  test('is the same for any split of its days, and another one for another seed', async () => {
    const complete = await contentOf('transactions')
    expect(complete).toMatch(/^\d{10,}$/)
    const parts: DayRange[] = [
      [61, DAYS],
      [0, 61],
    ]
    expect(await contentOfDays(SEED, parts)).toBe(complete)
    expect(await contentOfDays(SEED + 1, [[0, DAYS]])).not.toBe(complete)
  })

  test.each([1000, 1001, 1913, 1915, 2999, 54_321])(
    'has exactly %d rows on request',
    async (rows) => {
      const numbers = selectNumbers(makeCalendar(rows), [0, DAYS])
      const sql = `SELECT count(), uniqExact(n), min(n), max(n), min(day) >= 0 AND max(day) < ${DAYS} FROM (${numbers})`
      expect(await value(sql, { seed: 7 })).toBe(`${rows} ${rows} 0 ${rows - 1} 1`)
    },
  )

  test('reports its progress, and has one part a month', async () => {
    expect(progress).toEqual([ROWS])
    const parts = "FROM system.parts WHERE table = 'transactions' AND active"
    expect(await value(`SELECT count(), uniqExact(partition) ${parts}`)).toBe('34 34')
  })

  test('refuses to be generated where there are transactions', async () => {
    const again = generateLedger(scratch.engine, { rows: ROWS, seed: SEED })
    await expect(again).rejects.toMatchObject({
      code: 'ledger',
      message: `The ledger already holds ${ROWS} transactions. Generate into an empty ledger`,
    })
  })

  test('has values in every column', async () => {
    const names = Object.keys(TRANSACTION_COLUMNS)
    const counts = names.map((name) => `uniq(${name}) AS ${name}`)
    const [row] = await readRows(scratch.engine, z.record(z.string(), z.coerce.number()), {
      sql: `SELECT ${counts.join(', ')} FROM transactions`,
    })
    expect(names.filter((name) => (row?.[name] ?? 0) < 2)).toEqual([])
  })
})

describe('the hierarchy of transactions', () => {
  test('matches the tables of names', async () => {
    const shop = [
      'merchant_id',
      'company_id',
      'project_id',
      'endpoint_id',
      'ifNull(reseller_id, 0)',
    ]
    const route = ['gate_id', 'processor_id', 'currency']
    const lost = (columns: readonly string[]): string => {
      const key = columns.join(', ')
      return `SELECT count() FROM transactions WHERE (${key}) NOT IN (SELECT ${key} FROM (${HIERARCHY}))`
    }
    expect(await value(lost([...shop, 'currency']))).toBe('0')
    expect(await value(lost(route))).toBe('0')
    // A transaction that refers to another one may have used another gate.
    const roots = `${lost([...shop, ...route])} AND original_transaction_id IS NULL`
    expect(await value(roots)).toBe('0')
    for (const filter of FILTER_NAMES) {
      const distinct = await value(`SELECT uniq(${FILTER_COLUMNS[filter]}) FROM transactions`)
      expect([filter, Number(distinct) > 2]).toEqual([filter, true])
    }
    for (const column of Object.values(ROLE_COLUMNS)) expect(HIERARCHY).toContain(column)
  })

  test('has the entities that examples and tests name', async () => {
    const named =
      "merchant_id = '1', merchant_id = '2', merchant_id = '5', manager_id = '1', reseller_id = '2'"
    const counts = named.split(', ').map((condition) => `countIf(${condition}) > 100`)
    expect(await value(`SELECT ${counts.join(' AND ')} FROM transactions`)).toBe('1')
    expect(await value('SELECT topK(1)(merchant_id)[1] FROM transactions')).toBe('1')
    const names =
      "SELECT name, login FROM merchants WHERE merchant_id IN ('1', '2', '3') ORDER BY merchant_id"
    const rows = await readRows(scratch.engine, rowOf({ name: z.string(), login: z.string() }), {
      sql: names,
    })
    expect(rows).toEqual([
      { name: 'Shop 1, Ltd', login: 'shop-1' },
      { name: 'Shop 2', login: 'shop-2' },
      { name: 'Shop 3 "Outlet"', login: 'shop-3' },
    ])
  })

  test('keeps the old manager for a merchant that has moved', async () => {
    const moved = await readRows(
      scratch.engine,
      rowOf({ managers: z.array(z.string()), now: z.string() }),
      {
        sql: `SELECT groupArray(manager_id) AS managers, any(now) AS now
      FROM (SELECT DISTINCT merchant_id, manager_id FROM transactions) AS made
      JOIN (SELECT merchant_id, manager_id AS now FROM merchants) AS merchant USING merchant_id
      GROUP BY merchant_id HAVING length(managers) > 1`,
      },
    )
    expect(moved.length).toBeGreaterThan(0)
    for (const { managers, now } of moved) expect(managers).toContain(now)
    const last = `SELECT count() FROM (
      SELECT merchant_id, argMax(manager_id, bank_date) AS last FROM transactions WHERE isNotNull(bank_date) GROUP BY merchant_id
    ) AS made JOIN merchants USING merchant_id WHERE last != manager_id`
    expect(await value(last)).toBe('0')
  })
})
