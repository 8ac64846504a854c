import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ReportRequest } from '@counterfoil/protocol'
import { type Answer, ask, LIST, parameters } from '../kit/ask.ts'
import { type Expected, expectedReport, firstDifference } from '../oracles/expected-report.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { LATEST } from '../oracles/ledger-sql.ts'
import { readTexts } from '../oracles/reports-kit.ts'
import type { Sandbox } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** Nights in which clocks change. */
const NIGHTS = [
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-03-08T07:00:00Z',
  '2026-11-01T06:00:00Z',
]

const { sandbox, gateway } = await serveSandbox()
/** The instants of the transactions of merchant 1. */
let instants: readonly number[]
beforeAll(async () => {
  const nights = NIGHTS.flatMap((night) =>
    Array.from({ length: 200 }, (_, index) => Date.parse(night) + (index - 100) * 900_000 - 1),
  )
  const own = nights.flatMap((instant, index) =>
    // Two rows at one instant: the third column of the key decides their order.
    [2n, 1n].map((half) => ({
      id: 9_000_000_000_000_000_000n + BigInt(index) * 2n + half,
      createdAt: new Date(instant + (index % 2)).toISOString().replace('T', ' ').replace('Z', ''),
    })),
  )
  await insertRows(gateway.engine, own)
  const sql = `SELECT toUnixTimestamp64Milli(created_at) AS ms FROM ${LATEST} WHERE merchant_id = '1' ORDER BY transaction_id`
  instants = (await readTexts(gateway, sql)).map((row) => Number(row['ms']))
})

/** Compares a report, byte for byte, with the report that a query on the tables computes. */
async function expectReport(answer: Answer, wanted: Omit<Expected, 'now'>): Promise<number> {
  const expected = await expectedReport(gateway, {
    ...wanted,
    now: new Date(answer.headers.date ?? ''),
  })
  expect(answer.status).toBe(200)
  expect(answer.trailers).toEqual({
    'repr-digest': `sha-256=:${createHash('sha256').update(expected.csv).digest('base64')}:`,
    'counterfoil-rows': String(expected.rows),
    'counterfoil-replaced': '0',
  })
  expect(firstDifference(answer.text, expected.csv)).toBeUndefined()
  return expected.rows
}

async function expectFor(
  login: keyof Sandbox['logins'],
  request: Partial<ReportRequest>,
  wanted: Partial<Expected> = {},
): Promise<number> {
  const viewer = sandbox.logins[login]
  const answer = await ask(gateway, viewer, { ...LIST, ...request })
  return await expectReport(answer, { viewer, ...wanted })
}

describe('a report', () => {
  test('has the headers of a file and trailers that prove it complete', async () => {
    const answer = await ask(gateway, sandbox.logins.operator)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=UTF-8',
      'transfer-encoding': 'chunked',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      trailer: 'Repr-Digest, Counterfoil-Rows, Counterfoil-Replaced',
      'counterfoil-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const rows = await expectReport(answer, { viewer: sandbox.logins.operator })
    const line = gateway.lines().at(-1)
    expect(line).toMatchObject({
      requestId: answer.headers['counterfoil-request-id'],
      outcome: 'report',
      login: 'operator',
      report: 'transactions-list',
      rows,
      bytes: answer.bytes.length,
    })
  })

  test('of many chunks has its header row once', async () => {
    const more =
      'Transaction_id Merchant_OID Created_date Order_id Processed_date Status Amount'.split(' ')
    const outputReportParameters = ['Merchant_Name', ...more, 'Order_description', 'RRN', 'ARN']
    const request = { ...LIST, outputReportParameters }
    const { text, bytes } = await ask(gateway, sandbox.logins.operator, request)
    expect(bytes.length).toBeGreaterThan(2_000_000)
    expect(text.split('"Merchant_Name"')).toHaveLength(2)
    expect(text.indexOf('"Merchant_Name"')).toBe(0)
  })

  test('without rows is the header row', async () => {
    const nothing = { dateFrom: '2030-01-01' }
    const rowsOf = await expectFor('operator', parameters(nothing), { fromMs: Date.UTC(2030, 0) })
    expect(rowsOf).toBe(0)
  })

  test.each([',', '\t', '\\', "'", '0', '\u0001'])(
    'uses the delimiter of the request: %j',
    async (delimiter) => {
      const day = parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-04' })
      const bounds = { fromMs: Date.UTC(2026, 9, 1), toMs: Date.UTC(2026, 9, 4) }
      const request = { ...day, reportCsvDelimiter: delimiter }
      expect(await expectFor('operator', request, { ...bounds, delimiter })).toBeGreaterThan(50)
    },
  )

  test.each([
    ['a\r\nSet-Cookie: x=1', 'filename="a_Set-Cookie_ x=1_from_2030-01-01.csv"'],
    [
      'Отчёт №1',
      "filename*=UTF-8''%D0%9E%D1%82%D1%87%D1%91%D1%82%20%E2%84%961_from_2030-01-01.csv",
    ],
    ['\ud800', "filename*=UTF-8''%EF%BF%BD_from_2030-01-01.csv"],
    ['', 'filename=transactions-list_from_2030-01-01.csv'],
  ])('called %j has a safe file name', async (reportName, disposition) => {
    const request = { ...LIST, reportName, ...parameters({ dateFrom: '2030-01-01' }) }
    const { headers } = await ask(gateway, sandbox.logins.operator, request)
    expect(headers['content-disposition']).toMatch(/^attachment; /)
    expect(headers['content-disposition']).toContain(disposition)
    expect(headers).not.toHaveProperty('set-cookie')
  })
})

describe('a parameter', () => {
  test('dateFrom is inclusive and dateTo exclusive, to the millisecond', async () => {
    const [first, last] = [instants[10] ?? 0, instants[900] ?? 0]
    const [fromMs, toMs] = [Math.min(first, last), Math.max(first, last)]
    const text = (ms: number) => new Date(ms).toISOString().slice(0, -1)
    const bounds = parameters({ dateFrom: text(fromMs), dateTo: text(toMs).replace('T', ' ') })
    expect(await expectFor('merchant', bounds, { fromMs, toMs })).toBeGreaterThan(0)
    expect(
      await expectFor('merchant', parameters({ dateFrom: text(fromMs) }), { fromMs }),
    ).not.toBe(0)
    expect(await expectFor('merchant', parameters({ dateTo: text(toMs) }), { toMs })).not.toBe(0)
  })

  test.each([
    [
      'Europe/Berlin',
      '2026-03-29 02:30',
      '2026-03-29 04:00',
      '2026-03-29T01:30Z',
      '2026-03-29T02:00Z',
    ],
    [
      'Europe/Berlin',
      '2026-10-25 02:30',
      '2026-10-25 03:00',
      '2026-10-25T00:30Z',
      '2026-10-25T02:00Z',
    ],
    [
      'America/New_York',
      '2026-11-01 01:15',
      '2026-11-01 02:00',
      '2026-11-01T05:15Z',
      '2026-11-01T07:00Z',
    ],
    ['Asia/Kathmandu', '2026-03-29', '2026-03-30', '2026-03-28T18:15Z', '2026-03-29T18:15Z'],
  ])(
    'timezone %s applies to the bounds %s to %s, and to printed times',
    async (timezone, dateFrom, dateTo, from, to) => {
      const bounds = { fromMs: Date.parse(from), toMs: Date.parse(to), timezone }
      const request = parameters({ dateFrom, dateTo, timezone })
      expect(await expectFor('merchant', request, bounds)).toBeGreaterThan(0)
    },
  )

  test.each([[['approved']], [['declined', 'error']], [['filtered', 'processing', 'unknown']]])(
    'statuses takes %j',
    async (statuses) => {
      const request = parameters({ statuses: statuses.join(', ') })
      expect(await expectFor('manager', request, { statuses })).toBeGreaterThan(0)
    },
  )

  test('types takes one or more values, also with all other parameters', async () => {
    const types = ['sale', 'payout']
    await expectFor('operator', parameters({ types: 'chargeback' }), { types: ['chargeback'] })
    const request = parameters({
      types: types.join(','),
      statuses: 'approved',
      dateFrom: '2026-01-01',
      dateTo: '2026-03-01',
      timezone: 'America/Sao_Paulo',
    })
    const bounds = {
      fromMs: Date.parse('2026-01-01T03:00Z'),
      toMs: Date.parse('2026-03-01T03:00Z'),
    }
    const wanted = { types, statuses: ['approved'], timezone: 'America/Sao_Paulo', ...bounds }
    expect(await expectFor('operator', request, wanted)).toBeGreaterThan(0)
  })
})
