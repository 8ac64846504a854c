// @module-tag long

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { EngineQuery, Queries } from '../../../engine/src/engine/engine.ts'
import { amountsSql, readControlTotals, totalsQuery } from '../../src/report/control-totals.ts'
import { loadCatalogue } from '../../../templates/src/template/load-templates.ts'
import { LIST } from '../kit/ask.ts'
import { runWithoutHttp } from '../kit/run-without-http.ts'
import { openScratchLedger, type ScratchLedger } from '../kit/scratch-ledger.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const { signal } = new AbortController()

let scratch: ScratchLedger
let sandbox: Sandbox
beforeAll(async () => {
  scratch = await openScratchLedger()
  sandbox = await makeSandbox(0, ['transactions-list.yaml'])
})
afterAll(async () => {
  await scratch.close()
  sandbox.remove()
})

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
  const query = queryOf(`SELECT ${amountsSql(columns)} AS _amounts FROM numbers(${rows})`)
  return await readControlTotals(scratch.engine, totalsQuery(query), TITLES, signal)
}

test('sums each column of amounts by currency, exactly', async () => {
  const amounts = new Map<string, { amounts: number; sum: bigint }>()
  const add = (column: string, currency: string, amount: bigint | undefined): void => {
    if (amount === undefined) return
    const known = amounts.get(`${column} ${currency}`) ?? { amounts: 0, sum: 0n }
    amounts.set(`${column} ${currency}`, {
      amounts: known.amounts + 1,
      sum: known.sum + amount,
    })
  }
  for (let number = 0; number < 1_234; number += 1) {
    const currency = ['EUR', 'JPY', 'BHD', '', 'GOLD'][number % 5] ?? ''
    const small = BigInt(number) * 1_250n - 30_000n
    const large = number % 13 === 0 ? 98765432109876543210987654321234n : small
    const amount = number % 11 === 0 ? -99999999999999999999n : large
    add('Amount', currency, number % 7 === 0 ? undefined : amount)
    add('Fee', currency, BigInt(number) * 10_000n)
  }
  const totals = await totalsOf(COLUMNS, 1_234)
  const summed = totals?.map(({ column, currency, amounts: count, sum }) => {
    expect(sum).toMatch(/^-?\d+\.\d{3,4}$/)
    const digits = BigInt(sum.replace('.', '')) * (/\.\d{3}$/.test(sum) ? 10n : 1n)
    return [`${column} ${currency}`, { amounts: count, sum: digits }] as const
  })
  expect(new Map(summed)).toEqual(amounts)
  expect(totals?.map(({ column }) => column)).toEqual([
    ...Array.from({ length: 5 }, () => 'Amount'),
    ...Array.from({ length: 5 }, () => 'Fee'),
  ])
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
  const request = {
    ...LIST,
    configurationReportParameters: [
      { type: 'INPUT_SELECT', name: 'controlTotals', value: 'on' } as const,
    ],
  }
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
  expect(rows).toBe(4)
  expect(controlTotals).toBeUndefined()
})
