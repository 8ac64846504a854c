import { FILTER_NAMES } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { HIERARCHY } from '../../../ledger/src/model/hierarchy.ts'
import { FILTERED_COLUMNS } from '../kit/filtered-columns.ts'
import { ask, LIST, problemIn } from '../kit/ask.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { TRANSACTIONS_LIST } from '../oracles/figures.ts'
import { type Filters, isSeenBy, LATEST, latest } from '../oracles/ledger-sql.ts'
import { checkReport, readTexts } from '../oracles/reports-kit.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** A login of each role. */
const VIEWERS = ['operator', 'manager', 'reseller', 'merchant'] as const
const { sandbox, gateway } = await serveSandbox([6000])
const { logins } = sandbox
const served = { gateway, logins, read: (sql: string) => readTexts(gateway, sql) }

/** The first value of each row of a query. */
async function valuesOf(sql: string): Promise<readonly string[]> {
  return (await served.read(sql)).map((row) => Object.values(row)[0] ?? '')
}

/** Expects that a login gets its own rows, and no others. Returns how many it gets. */
async function expectScope(role: (typeof VIEWERS)[number], filters?: Filters): Promise<number> {
  return (await checkReport(served, { ...TRANSACTIONS_LIST, roles: [role] }, {}, filters)).length
}

describe.each(VIEWERS)('the %s', (name) => {
  const tags = name === 'manager' ? [] : ['long']

  test('sees exactly its own rows, whatever its key', { tags }, async () => {
    const seen = await expectScope(name)
    expect(seen).toBeGreaterThan(0)
    const all = await valuesOf(`SELECT count() FROM ${LATEST}`)
    expect(String(seen) === all[0]).toBe(name === 'operator')
    const empty = Object.fromEntries(FILTER_NAMES.map((filter) => [filter, []]))
    expect(await expectScope(name, empty)).toBe(seen)
    const [byHmac, byRsa] = [
      await ask(gateway, logins[name]),
      await ask(gateway, logins[name], LIST, { key: 'rsa' }),
    ]
    expect(byRsa.bytes.equals(byHmac.bytes)).toBe(true)
  })

  test.each(FILTER_NAMES)('narrows by %s', { tags }, async (filter) => {
    const login = logins[name]
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
  const [{ merchant_id = '', currency = '' } = {}] = await served.read(sql)
  const filters = { merchants: [merchant_id], currencies: [currency] }
  expect(await expectScope('manager', filters)).toBeGreaterThan(0)
})

test.each(VIEWERS)('never widens the scope of the %s by a filter', async (name) => {
  const sql = `SELECT merchant_id FROM ${LATEST} WHERE NOT ${isSeenBy(logins[name])} LIMIT 1`
  for (const merchants of [await valuesOf(sql), [Number.MAX_SAFE_INTEGER]]) {
    if (merchants.length === 0) continue
    const answer = await ask(gateway, logins[name], { ...LIST, filters: { merchants } })
    expect(problemIn(answer)).toMatchObject({ code: 'invalid-filter', status: 422 })
  }
})

test('shows a transaction only to the owner of its latest version', async () => {
  const moved = { id: 9_100_000_000_000_000_001n, createdAt: '2026-05-05 05:05:05.005' }
  await insertRows(gateway.engine, [{ ...moved, merchant: '4', manager: '1', version: 1 }])
  const { manager, operator } = logins
  expect((await ask(gateway, manager)).text).toContain(String(moved.id))
  await insertRows(gateway.engine, [{ ...moved, merchant: '4', manager: '2', version: 2 }])
  expect((await ask(gateway, manager)).text).not.toContain(String(moved.id))
  const filtered = await ask(gateway, operator, { ...LIST, filters: { managers: [1] } })
  expect(filtered.text).not.toContain(String(moved.id))
  expect((await ask(gateway, operator)).text.split(`"${moved.id}"`)).toHaveLength(2)
  await expectScope('manager')
})
