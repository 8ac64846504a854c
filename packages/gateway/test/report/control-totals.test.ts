// @module-tag long

import { beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { type EngineQuery, type Queries, readRows } from '../../../engine/src/engine/engine.ts'
import { amountsSql, readControlTotals, totalsQuery } from '../../src/report/control-totals.ts'
import { loadCatalogue } from '../../../templates/src/template/load-templates.ts'
import { LIST, parameters } from '../kit/ask.ts'
import { runWithoutHttp } from '../kit/run-without-http.ts'
import { useScratchLedger } from '../kit/scratch-ledger.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const { signal } = new AbortController()

const scratch = await useScratchLedger()
const sandbox = await useSandbox(0)

const CURRENCY = "['EUR', 'JPY', 'BHD', '', 'GOLD'][1 + number % 5]"
const AMOUNT = `multiIf(
  number % 7 = 0, NULL,
  number % 11 = 0, toDecimal128('-9999999999999999.9999', 4),
  number % 13 = 0, toDecimal128('9876543210987654321098765432.1234', 4),
  toDecimal128(number, 4) / 8 - 3)`
const COLUMNS = [
  { kind: 'id', sql: 'number' },
  { kind: 'money', sql: AMOUNT, currencySql: CURRENCY },
  { kind: 'money', sql: 'toDecimal64(number, 2)', currencySql: `toLowCardinality(${CURRENCY})` },
  { kind: 'money', sql: 'toDecimal64(number, 2)' },
] as const
const TITLES = ['Id', 'Amount', 'Fee', 'Without a currency']

function queryOf(sql: string): EngineQuery {
  return { sql, parameters: {}, settings: {}, format: 'JSONEachRow', role: 'owner' }
}

async function totalsOf(columns: Parameters<typeof amountsSql>[0], rows: number) {
  const query = queryOf(`SELECT ${amountsSql(columns)} FROM numbers(${rows})`)
  return await readControlTotals(scratch.engine, totalsQuery(query), TITLES, signal)
}

test('sums each column of amounts by currency, exactly', async () => {
  const sumOf = (
    column: string,
    amount: string,
  ) => `SELECT '${column}' AS column, ${CURRENCY} AS currency,
    toUInt32(count(${amount})) AS amounts, toString(CAST(sum(${amount}), 'Decimal(38, 4)')) AS sum
    FROM numbers(1234) GROUP BY currency`
  const sql = `SELECT * FROM (${sumOf('Amount', AMOUNT)}
    UNION ALL ${sumOf('Fee', 'toDecimal64(number, 2)')}) ORDER BY column, currency`
  const row = z.object({
    column: z.string(),
    currency: z.string(),
    amounts: z.number(),
    sum: z.string(),
  })
  const expected = await readRows(scratch.engine, row, sql)
  const totals = await totalsOf(COLUMNS, 1_234)
  for (const { sum } of totals ?? []) expect(sum).toMatch(/^-?\d+\.\d{3,4}$/)
  const trimmed = totals?.map((total) => ({ ...total, sum: total.sum.replace(/\.?0+$/, '') }))
  expect(trimmed).toEqual(expected)
})

test('has no totals of rows without amounts', async () => {
  expect(await totalsOf(COLUMNS.slice(0, 1), 10)).toEqual([])
})

test('has no totals for rows of more currencies than a run records', async () => {
  const columns = [{ kind: 'money', sql: '1.25::Decimal(9, 2)', currencySql: 'number' }] as const
  expect(await totalsOf(columns, 1_000)).toHaveLength(1_000)
  expect(await totalsOf(columns, 1_001)).toBeUndefined()
})

let nextId = 1
beforeEach(async () => {
  await scratch.fill('TRUNCATE TABLE transactions')
  await insert()
})

/** Inserts one transaction of ten euros. */
async function insert(): Promise<void> {
  await scratch.fill(`INSERT INTO transactions (transaction_id, merchant_id, created_at, updated_at,
    transaction_type, status, amount, currency)
    VALUES (${nextId}, 1, '2026-10-01', '2026-10-01', 'sale', 'approved', 10, 'EUR')`)
  nextId += 1
}

/** Requests the list with control totals. `between` runs after the totals and before the rows. */
async function runWith(between: (attempt: number) => Promise<void>) {
  const { engine } = scratch
  let attempt = 0
  const stream: Queries['stream'] = async (query, ...others) => {
    if (query.format === 'RawBLOB') await between((attempt += 1))
    return await engine.stream(query, ...others)
  }
  const changing: Queries = {
    stream,
    execute: async (...asked) => await engine.execute(...asked),
    insert: async (...asked) => await engine.insert(...asked),
    loadTimeZone: async (zone) => await engine.loadTimeZone(zone),
  }
  const catalogue = await loadCatalogue(sandbox.reports, engine)
  const request = { ...LIST, ...parameters({}, { controlTotals: 'on' }) }
  const now = Date.parse('2026-10-02T00:00:00Z')
  const viewer = { login: 'audit', role: 'operator', sees: [] } as const
  return await runWithoutHttp({ engine: changing, catalogue, now }, viewer, request)
}

test('an insert between totals and rows begins both again', async () => {
  const { rows, controlTotals } = await runWith(async (attempt) => {
    if (attempt === 1) await insert()
  })
  expect(rows).toBe(2)
  expect(controlTotals).toEqual([{ column: 'Amount', currency: 'EUR', amounts: 2, sum: '20.000' }])
})

test('a deletion between totals and rows begins both again', async () => {
  await insert()
  const { rows, controlTotals } = await runWith(async (attempt) => {
    if (attempt > 1) return
    await scratch.fill(`ALTER TABLE transactions DELETE WHERE transaction_id = '${nextId - 1}'
      SETTINGS mutations_sync = 1`)
  })
  expect(rows).toBe(1)
  expect(controlTotals).toMatchObject([{ amounts: 1, sum: '10.000' }])
})

test('a merge between totals and rows changes nothing', async () => {
  await insert()
  let attempts = 0
  const { controlTotals } = await runWith(async (attempt) => {
    attempts = attempt
    await scratch.fill('OPTIMIZE TABLE transactions FINAL')
  })
  expect(attempts).toBe(1)
  expect(controlTotals).toMatchObject([{ amounts: 2, sum: '20.000' }])
})

test('a run has no control totals if the ledger changes at each attempt', async () => {
  const { rows, controlTotals } = await runWith(insert)
  expect(rows).toBe(5)
  expect(controlTotals).toBeUndefined()
})
