import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { ask, LIST, parameters } from '../kit/ask.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { TRANSACTIONS_LIST } from '../oracles/figures.ts'
import { checkReport, readTexts } from '../oracles/reports-kit.ts'

const { sandbox, gateway } = await serveSandbox()
const { logins } = sandbox
const served = { gateway, logins, read: (sql: string) => readTexts(gateway, sql) }

// Two rows at one instant: the third column of the key decides their order.
const INSTANTS = [
  '2026-03-29 01:29:59.999',
  '2026-03-29 01:30:00.000',
  '2026-03-29 01:59:59.999',
  '2026-03-29 02:00:00.000',
  '2026-03-29 02:00:00.000',
]
const OWN = 9_000_000_000_000_000_000n
const rows = INSTANTS.map((createdAt, index) => ({ id: OWN + BigInt(index), createdAt }))
await insertRows(gateway.engine, rows.toReversed())

test('has the headers of a file and trailers that prove it complete', async () => {
  const answer = await ask(gateway, logins.operator)
  expect(answer.headers).toMatchObject({
    'content-type': 'text/csv; charset=UTF-8',
    'transfer-encoding': 'chunked',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    trailer: 'Repr-Digest, Counterfoil-Rows, Counterfoil-Replaced',
    'counterfoil-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  const reported = await checkReport(served, { ...TRANSACTIONS_LIST, roles: ['operator'] })
  const titles = Object.keys(reported[0] ?? {}).slice(0, 8)
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'short' })
  const today = clock.format(new Date(answer.headers.date ?? '')).replaceAll('/', '.')
  const cells = reported.map((row) => [...titles.map((title) => row[title] ?? ''), today])
  const quote = (field: string) => `"${field.replaceAll('"', '""')}"`
  const lines = [[...titles, 'Date_of_report'], ...cells].map((line) => line.map(quote).join(','))
  expect(answer.text.split('\r\n')).toEqual([...lines.join('\r\n').split('\r\n'), ''])
  expect(answer.bytes.length).toBeGreaterThan(1_000_000)
  expect(answer.trailers).toEqual({
    'repr-digest': `sha-256=:${createHash('sha256').update(answer.bytes).digest('base64')}:`,
    'counterfoil-rows': String(reported.length),
    'counterfoil-replaced': '0',
  })
  expect(gateway.lines()).toContainEqual(
    expect.objectContaining({
      requestId: answer.headers['counterfoil-request-id'],
      outcome: 'report',
      login: 'operator',
      report: 'transactions-list',
      rows: reported.length,
      bytes: answer.bytes.length,
    }),
  )
})

test('without rows is the header row, in a file with a safe name', async () => {
  const reportName = 'a\r\nSet-Cookie: Отчёт №1'
  const request = { ...LIST, reportName, ...parameters({ dateFrom: '2030-01-01' }) }
  const answer = await ask(gateway, logins.operator, { ...request, reportCsvDelimiter: '\t' })
  expect(answer.text).toMatch(/^"Merchant_Name"\t"Transaction_id"[^\r]*\r\n$/)
  expect(answer.headers).not.toHaveProperty('set-cookie')
  expect(answer.headers['content-disposition']).toBe(
    `attachment; filename="a_Set-Cookie_ ????? ?1_from_2030-01-01.csv"; filename*=UTF-8''a_Set-Cookie_%20%D0%9E%D1%82%D1%87%D1%91%D1%82%20%E2%84%961_from_2030-01-01.csv`,
  )
})

test.each([
  ['2026-03-29 02:30', '2026-03-29T04:00', 'Europe/Berlin', [1, 2]],
  ['2026-03-29T01:30:00.000', '2026-03-29 01:59:59.999', 'UTC', [1]],
  ['2026-03-29 01:59:59.999', '', 'UTC', [2, 3, 4]],
  ['', '2026-03-29 01:30', 'UTC', [0]],
])('from %j until %j in %s, to the millisecond', async (dateFrom, dateTo, timezone, expected) => {
  const inputs = parameters({ dateFrom, dateTo, timezone })
  const { text } = await ask(gateway, logins.merchant, { ...LIST, ...inputs })
  const ids = text.match(/(?<=")9000000000000000\d{3}/g) ?? []
  expect(ids.map((id) => Number(BigInt(id) - OWN))).toEqual(expected)
})

test('takes statuses, types, a period and a time zone together', async () => {
  const inputs = { types: 'sale,payout', statuses: 'approved,declined' }
  const period = { dateFrom: '2026-01-01', dateTo: '2026-03-01', timezone: 'America/Sao_Paulo' }
  const checked = { ...TRANSACTIONS_LIST, roles: ['manager'] } as const
  expect((await checkReport(served, checked, { ...inputs, ...period })).length).toBeGreaterThan(0)
})
