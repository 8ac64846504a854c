import { expect, test } from 'vitest'
import * as z from 'zod'
import { readRows } from '../../src/engine/engine.ts'
import { conform, OF_RSA, skippedIn } from '../kit/conform.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([2000])
const { merchant } = sandbox.logins
const { origin } = new URL(gateway.reportUrl)

const checks = await conform(gateway, ['--api-url', `${origin}/gate`], {
  COUNTERFOIL_LOGIN: merchant.login,
  COUNTERFOIL_CONTROL_KEY: merchant.controlKey,
})

test('a sandbox passes every check, and creates no payment', async () => {
  expect(skippedIn(checks)).toEqual([...OF_RSA, 'refusal-reveals-no-login', 'scope'])
  expect(checks.length).toBeGreaterThan(150)
  const row = z.object({ count: z.coerce.number() })
  const sql = 'SELECT count() AS count FROM transactions WHERE order_id > 2000000000000000000'
  expect(await readRows(gateway.engine, row, { sql, parameters: {} })).toEqual([{ count: 0 }])
})

test('a sandbox refuses each mistake at its own step', () => {
  const refused = checks.filter(({ got }) => got?.includes('Step that failed: '))
  const at = (step: string) => {
    return refused.flatMap(({ id, got }) => (got?.includes(`failed: ${step}.`) ? [id] : []))
  }
  expect(at('timestamp')).toEqual([
    'refuse-old-timestamp',
    'refuse-future-timestamp',
    'refuse-milliseconds',
    'refuse-fraction',
    'refuse-negative-timestamp',
  ])
  expect(at('nonce')).toEqual(['refuse-replay', 'refuse-replay-with-other-body'])
  expect(at('consumer')).toEqual(['refuse-unknown-login'])
  expect(at('body-hash')).toEqual(['refuse-changed-body'])
  const headers = checks.filter(({ subject }) => subject === 'Refused headers').map(({ id }) => id)
  expect(at('header').filter((id) => !headers.includes(id))).toEqual([
    'refuse-hmac-sha256',
    'refuse-other-method-name',
    'refuse-short-signature',
    'refuse-hex-signature',
    'form-no-header',
  ])
  expect(at('header').length).toBeGreaterThan(headers.length)
  expect(at('signature').length).toBeGreaterThan(30)
})
