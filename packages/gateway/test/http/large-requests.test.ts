import { expect, test } from 'vitest'
import * as z from 'zod'
import { readRows } from '../../src/engine/engine.ts'
import { FILTER_COLUMNS, HIERARCHY } from '../../src/ledger/hierarchy.ts'
import { LIMITS } from '../../src/limits.ts'
import { ask, LIST, problemIn } from '../kit/ask.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const ID_FILTERS = [
  'gates',
  'companies',
  'projects',
  'endpoints',
  'merchants',
  'processors',
  'managers',
  'resellers',
] as const

const { sandbox, gateway } = await serveSandbox([1000])

const HIERARCHY_ROW = z.record(z.string(), z.number().nullable())

/** Reads one row of the hierarchy: an id of each kind. */
async function readIds(): Promise<Readonly<Record<string, string>>> {
  const [row = {}] = await readRows(gateway.engine, HIERARCHY_ROW, {
    sql: `SELECT * EXCEPT currency FROM (${HIERARCHY}) WHERE reseller_id > 0 AND endpoint_id > 0 LIMIT 1`,
    parameters: {},
  })
  const ids = ID_FILTERS.map((name) => [name, String(row[FILTER_COLUMNS[name]])])
  return Object.fromEntries(ids)
}

/** Asks for a report with `count` times the same id in every filter. */
async function askFilled(idOf: (name: string) => string | number, count: number) {
  const filters = Object.fromEntries(
    ID_FILTERS.map((name) => [name, Array.from({ length: count }, () => idOf(name))]),
  )
  return await ask(gateway, sandbox.logins.operator, { ...LIST, filters })
}

test.each([
  [LIMITS.filterValuesMax, 9],
  [5000, 18],
])('takes eight filters of %i ids each', async (count, digits) => {
  const ids = await readIds()
  const { status, trailers } = await askFilled(
    (name) => (ids[name] ?? '').padStart(digits, '0'),
    count,
  )
  expect(status).toBe(200)
  expect(trailers['repr-digest']).toBeDefined()
})

test('lists the first of very many faults, and counts the others', async () => {
  const unknown = await askFilled(() => 98_765_432, LIMITS.filterValuesMax)
  const members = Array.from({ length: 100_000 }, (_, index) => [index.toString(36), 1])
  const strange = await ask(gateway, sandbox.logins.operator, {
    ...LIST,
    ...Object.fromEntries(members),
  })
  for (const [answer, faults] of [
    [unknown, 8 * LIMITS.filterValuesMax],
    [strange, members.length],
  ] as const) {
    const { errors = [], detail } = problemIn(answer)
    expect(errors).toHaveLength(LIMITS.faultsShownMax)
    expect(detail).toMatch(new RegExp(`; and ${faults - LIMITS.faultsShownMax} more faults$`))
    expect(answer.bytes.length).toBeLessThan(100_000)
  }
})
