import { FILTER_NAMES } from '@counterfoil/protocol'
import { expect, test } from 'vitest'
import { ask, LIST, problemIn } from '../kit/ask.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import {
  describeScope,
  expectScope,
  gateway,
  readAllRows,
  rows,
  sandbox,
  VIEWERS,
} from './scope.cases.ts'

// Each filter for one login. The long test tries every filter for each login.
for (const [index, name] of VIEWERS.entries()) {
  const isOwn = (_: unknown, at: number): boolean => at % VIEWERS.length === index
  describeScope(name, FILTER_NAMES.filter(isOwn))
}

test('combines filters', async () => {
  const row = rows.find(({ manager_id: manager }) => manager === 1)
  const filters = { merchants: [row?.merchant_id ?? 0], currencies: [row?.currency ?? ''] }
  expect(await expectScope('manager', filters)).toBeGreaterThan(0)
})

test.each(VIEWERS.slice(1))('never widens the scope of the %s by a filter', async (name) => {
  const { role, sees } = sandbox.logins[name]
  const foreign = rows.find((row) => !sees.includes(row[`${role as 'manager'}_id`] ?? 0))
  const filters = { merchants: [foreign?.merchant_id ?? 0] }
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
  await insertRows(gateway.engine, [{ ...moved, merchant: 4, manager: 1, version: 1 }])
  const { manager, operator } = sandbox.logins
  expect((await ask(gateway, manager)).text).toContain(String(moved.id))
  await insertRows(gateway.engine, [{ ...moved, merchant: 4, manager: 2, version: 2 }])
  expect((await ask(gateway, manager)).text).not.toContain(String(moved.id))
  const filtered = await ask(gateway, operator, { ...LIST, filters: { managers: [1] } })
  expect(filtered.text).not.toContain(String(moved.id))
  const all = (await ask(gateway, operator)).text
  expect(all.split(`"${moved.id}"`)).toHaveLength(2)
  await readAllRows()
  await expectScope('manager')
})
