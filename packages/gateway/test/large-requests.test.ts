import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../src/limits.ts'
import { ask, LIST, problemIn } from './ask.ts'
import { type RunningGateway, serve } from './running-gateway.ts'
import { makeSandbox, type Sandbox } from './sandbox.ts'

const ID_FILTERS = [
  'gates',
  'companies',
  'projects',
  'endpoints',
  'merchants',
  'processors',
  'managers',
  'resellers',
]

let sandbox: Sandbox
let gateway: RunningGateway
beforeAll(async () => {
  sandbox = await makeSandbox(1000)
  gateway = await serve(sandbox)
})
afterAll(async () => {
  await gateway.close()
  sandbox.remove()
})

/** Asks with every filter of ids full of one id. */
async function askFilled(id: string | number, count: number) {
  const ids = Array.from({ length: count }, () => id)
  const filters = Object.fromEntries(ID_FILTERS.map((name) => [name, ids]))
  return await ask(gateway, sandbox.logins.operator, { ...LIST, filters })
}

test.each([
  [LIMITS.filterValuesMax, '000000001'],
  [5000, '000000000000000001'],
])('eight filters of %i ids each give a report', async (count, id) => {
  const { status, trailers } = await askFilled(id, count)
  expect(status).toBe(200)
  expect(trailers['repr-digest']).toBeDefined()
})

test('of very many faults the first are told, and the others counted', async () => {
  const unknown = await askFilled(98_765_432, LIMITS.filterValuesMax)
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
    expect(errors).toHaveLength(LIMITS.faultsToldMax)
    expect(detail).toMatch(new RegExp(`; and ${faults - LIMITS.faultsToldMax} more faults$`))
    expect(answer.bytes.length).toBeLessThan(100_000)
  }
})
