import { FILTER_NAMES } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { HIERARCHY } from '../../../ledger/src/model/hierarchy.ts'
import { FILTERED_COLUMNS } from '../kit/filtered-columns.ts'
import { ask, LIST, problemIn } from '../kit/ask.ts'
import { expectedReport, firstDifference } from '../oracles/expected-report.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { type Filters, isSeenBy, LATEST, latest } from '../oracles/ledger-sql.ts'
import { readTexts } from '../oracles/reports-kit.ts'
import type { Logins } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** A login of each role. */
const VIEWERS = ['operator', 'manager', 'reseller', 'merchant'] as const
const { sandbox, gateway } = await serveSandbox([6000])

/** The first value of each row of a query. */
async function valuesOf(sql: string): Promise<readonly string[]> {
  return (await readTexts(gateway, sql)).map((row) => Object.values(row)[0] ?? '')
}

/** Expects that a login gets its own rows, and no others. Returns how many it gets. */
async function expectScope(
  name: keyof Logins,
  filters?: Filters,
  key: 'hmac' | 'rsa' = 'hmac',
): Promise<number> {
  const viewer = sandbox.logins[name]
  const request = { ...LIST, ...(filters && { filters }) }
  const answer = await ask(gateway, viewer, request, { key })
  const now = new Date(answer.headers.date ?? '')
  const expected = await expectedReport(gateway, { viewer, ...(filters && { filters }), now })
  expect(firstDifference(answer.text, expected.csv)).toBeUndefined()
  return expected.rows
}

describe.each(VIEWERS)('the %s', (name) => {
  const tags = name === 'manager' ? [] : ['long']

  test.each(['hmac', 'rsa'] as const)('sees exactly its own rows, by %s', async (key) => {
    const seen = await expectScope(name, undefined, key)
    expect(seen).toBeGreaterThan(0)
    const all = await valuesOf(`SELECT count() FROM ${LATEST}`)
    expect(String(seen) === all[0]).toBe(name === 'operator')
    const empty = Object.fromEntries(FILTER_NAMES.map((filter) => [filter, []]))
    expect(await expectScope(name, empty)).toBe(seen)
  })

  test.each(FILTER_NAMES)('narrows by %s', { tags }, async (filter) => {
    const login = sandbox.logins[name]
    const column = FILTERED_COLUMNS[filter]
    // This test does not filter by a merchant that has moved away, whose old transactions the viewer still sees.
    const now = `SELECT ${column} FROM (${HIERARCHY}) WHERE ${isSeenBy(login)}`
    const own = `SELECT DISTINCT ${column} FROM ${latest(login)} WHERE ${column} IN (${now})`
    const ids = await valuesOf(`${own} AND ${column} != '' ORDER BY 1`)
    expect(ids.length).toBeGreaterThan(0)
    const [one = '', two = one] = [ids[0], ids.at(-1)].map((id) => id ?? '')
    expect(await expectScope(name, { [filter]: [one] })).toBeGreaterThan(0)
    await expectScope(name, { [filter]: [one, two] })
  })
})

test('combines filters', async () => {
  const sql = `SELECT merchant_id, currency FROM ${LATEST} WHERE manager_id = '1' LIMIT 1`
  const [row] = await readTexts(gateway, sql)
  const filters = { merchants: [row?.['merchant_id'] ?? ''], currencies: [row?.['currency'] ?? ''] }
  expect(await expectScope('manager', filters)).toBeGreaterThan(0)
})

test.each(VIEWERS.slice(1))('never widens the scope of the %s by a filter', async (name) => {
  const login = sandbox.logins[name]
  const sql = `SELECT merchant_id FROM ${LATEST} WHERE NOT ${isSeenBy(login)} LIMIT 1`
  const answer = await ask(gateway, login, { ...LIST, filters: { merchants: await valuesOf(sql) } })
  expect(problemIn(answer)).toMatchObject({ code: 'invalid-filter', status: 422 })
})

test.each([{ currencies: ['QQQ'] }, { merchants: [Number.MAX_SAFE_INTEGER] }, { gates: ['0'] }])(
  'refuses an unknown id: %j',
  async (filters) => {
    const answer = await ask(gateway, sandbox.logins.operator, { ...LIST, filters })
    expect(problemIn(answer).code).toBe('invalid-filter')
  },
)

test('shows a transaction only to the owner of its latest version', async () => {
  const moved = { id: 9_100_000_000_000_000_001n, createdAt: '2026-05-05 05:05:05.005' }
  await insertRows(gateway.engine, [{ ...moved, merchant: '4', manager: '1', version: 1 }])
  const { manager, operator } = sandbox.logins
  expect((await ask(gateway, manager)).text).toContain(String(moved.id))
  await insertRows(gateway.engine, [{ ...moved, merchant: '4', manager: '2', version: 2 }])
  expect((await ask(gateway, manager)).text).not.toContain(String(moved.id))
  const filtered = await ask(gateway, operator, { ...LIST, filters: { managers: [1] } })
  expect(filtered.text).not.toContain(String(moved.id))
  const all = (await ask(gateway, operator)).text
  expect(all.split(`"${moved.id}"`)).toHaveLength(2)
  await expectScope('manager')
})
