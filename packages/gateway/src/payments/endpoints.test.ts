import { expect, test } from 'vitest'
import { useScratchLedger } from '../../test/kit/scratch-ledger.ts'
import type { Queries } from '../../../engine/src/engine/engine.ts'
import { GatewayError } from '../../../common/src/errors.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import type { Login } from '../../../store/src/store/login-store.ts'
import type { Role } from '../../../common/src/roles.ts'
import { createEndpoints } from './endpoints.ts'

const ROWS: Readonly<Record<string, string>> = {
  merchants: `(1, 'Shop', 'shop', 10, 20, NULL, 'UTC', '5411')`,
  projects: `(3, 'Project', 1)`,
  gates: `(4, 'Gate', 5, 'EUR')`,
  currencies: `('EUR', 2)`,
  endpoints: `(1144, 'Endpoint', 3, 4, 'EUR')`,
}

const ledger = await useScratchLedger()
for (const [table, values] of Object.entries(ROWS)) {
  await ledger.engine.execute(`INSERT INTO ${table} VALUES ${values}`)
}

const makeLogin = (role: Role, ...sees: readonly string[]): Login => {
  return { name: 'one', role, sees, bodyHashRequired: false, createdAt: new Date() }
}

test('finds an endpoint with its place in the hierarchy, for its merchant only', async () => {
  const endpoints = createEndpoints(ledger.engine, Date.now)
  expect(await endpoints.find(makeLogin('merchant', '7', '1'), '1144')).toEqual({
    endpoint_id: '1144',
    project_id: '3',
    merchant_id: '1',
    company_id: '10',
    manager_id: '20',
    reseller_id: null,
    gate_id: '4',
    processor_id: '5',
    currency: 'EUR',
    exponent: 2,
  })
  for (const other of [
    makeLogin('merchant', '2'),
    makeLogin('manager', '20'),
    makeLogin('operator'),
  ]) {
    expect(await endpoints.find(other, '1144')).toBeUndefined()
    expect(await endpoints.of(other)).toEqual([])
  }
})

test('finds a new endpoint after a minute, and keeps the old cache if the engine is busy', async () => {
  let nowMs = 0
  let isBusy = false
  const stream: Queries['stream'] = async (...asked) => {
    if (isBusy) throw new GatewayError('engine-busy', 'the engine is busy')
    return await ledger.engine.stream(...asked)
  }
  const endpoints = createEndpoints({ ...ledger.engine, stream }, () => nowMs)
  const find = async (id: string) => {
    const endpoint = await endpoints.find(makeLogin('merchant', '1'), id)
    return endpoint?.endpoint_id
  }
  expect(await find('1145')).toBeUndefined()
  await ledger.engine.execute(`INSERT INTO endpoints VALUES (1145, 'New', 3, 4, 'EUR')`)
  nowMs = LIMITS.endpointsCacheMs
  expect([await find('1145'), await find('1145')]).toEqual([undefined, undefined])
  nowMs += 1
  expect([await find('1145'), await find('1145')]).toEqual([undefined, '1145'])
  isBusy = true
  nowMs += LIMITS.endpointsCacheMs + 1
  expect([await find('1145'), await find('1145')]).toEqual(['1145', '1145'])
})
