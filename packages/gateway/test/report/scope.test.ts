import { FILTER_NAMES, type FilterName } from '@counterfoil/protocol'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { HIERARCHY } from '../../../ledger/src/model/hierarchy.ts'
import { FILTERED_COLUMNS } from '../kit/filtered-columns.ts'
import { ask, LIST, problemIn } from '../kit/ask.ts'
import { expectedReport, firstDifference } from '../oracles/expected-report.ts'
import { exportRows, insertRows, type LedgerRow } from '../kit/ledger-rows.ts'
import type { Logins } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** A login of each role. */
const VIEWERS = ['operator', 'manager', 'reseller', 'merchant'] as const
/** A row of the hierarchy. A transaction has these ids too. */
const belonging = z.object({
  gate_id: z.string(),
  company_id: z.string(),
  project_id: z.string(),
  endpoint_id: z.string(),
  merchant_id: z.string(),
  processor_id: z.string(),
  manager_id: z.string(),
  reseller_id: z.string().nullable(),
  currency: z.string(),
})
type Belonging = z.output<typeof belonging>

const { sandbox, gateway } = await serveSandbox([6000])
let rows: readonly LedgerRow[]
let today: readonly Belonging[]
beforeAll(async () => {
  await readAllRows()
  today = await readRows(gateway.engine, belonging, { sql: HIERARCHY, parameters: {} })
})

/** Reads the rows of the ledger, after a test has changed them. */
async function readAllRows(): Promise<void> {
  rows = await exportRows(gateway.engine)
}

type Filters = Partial<Record<FilterName, string[]>>

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
  const expected = expectedReport(rows, { viewer, ...(filters && { filters }), now })
  expect(firstDifference(answer.text, expected.csv)).toBeUndefined()
  return expected.rows
}

describe.each(VIEWERS)('the %s', (name) => {
  const tags = name === 'manager' ? [] : ['long']

  test.each(['hmac', 'rsa'] as const)('sees exactly its own rows, by %s', async (key) => {
    const seen = await expectScope(name, undefined, key)
    expect(seen).toBeGreaterThan(0)
    expect(seen === rows.length).toBe(name === 'operator')
    const empty = Object.fromEntries(FILTER_NAMES.map((filter) => [filter, []]))
    expect(await expectScope(name, empty)).toBe(seen)
  })

  test.each(FILTER_NAMES)('narrows by %s', { tags }, async (filter) => {
    const { role, sees } = sandbox.logins[name]
    const isOwn = (row: Belonging): boolean => {
      return role === 'operator' || sees.includes(row[`${role}_id`] ?? '')
    }
    const own = rows.filter(isOwn)
    // This test does not filter by a merchant that has moved away, whose old transactions the viewer still sees.
    const now = new Set(today.filter(isOwn).map((row) => row[FILTERED_COLUMNS[filter]]))
    const ids = [...new Set(own.map((row) => row[FILTERED_COLUMNS[filter]]))].filter(
      (id) => id !== null && now.has(id),
    )
    expect(ids.length).toBeGreaterThan(0)
    const [one = '', two = one] = [ids[0], ids.at(-1)].map((id) => id ?? '')
    expect(await expectScope(name, { [filter]: [one] })).toBeGreaterThan(0)
    const both = await expectScope(name, { [filter]: [one, two] })
    expect(both).toBeLessThanOrEqual(own.length)
  })
})

test('combines filters', async () => {
  const row = rows.find(({ manager_id: manager }) => manager === '1')
  const filters = { merchants: [row?.merchant_id ?? ''], currencies: [row?.currency ?? ''] }
  expect(await expectScope('manager', filters)).toBeGreaterThan(0)
})

test.each(VIEWERS.slice(1))('never widens the scope of the %s by a filter', async (name) => {
  const { role, sees } = sandbox.logins[name]
  const foreign = rows.find((row) => !sees.includes(row[`${role as 'manager'}_id`] ?? ''))
  const filters = { merchants: [foreign?.merchant_id ?? ''] }
  const answer = await ask(gateway, sandbox.logins[name], { ...LIST, filters })
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
  await readAllRows()
  await expectScope('manager')
})
