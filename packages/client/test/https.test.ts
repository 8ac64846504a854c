// @module-tag long

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { CounterfoilClient } from '../src/index.ts'
import { makeCertificate } from './make-certificate.ts'
import { connect, CONTROL_KEY, CSV, LOGIN, sendReport, startGateway } from './fixture-gateway.ts'

let folder = ''
let tls = { key: '', cert: '' }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-'))
  tls = await makeCertificate(folder, 'fixture')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

test('trusts a certificate from its options', async () => {
  const client = connect(await startGateway((response) => sendReport(response), tls), {
    ca: tls.cert,
  })
  const { body } = await client.report('transactions-list')
  expect(await text(body)).toBe(CSV)
})

test('trusts no other certificate, even if the environment disables the check', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const gateway = await startGateway((response) => sendReport(response), tls)
  const client = connect(gateway)
  await expect(client.report('x')).rejects.toMatchObject({
    code: 'network-error',
    nothingSent: true,
    message: expect.stringContaining('self-signed certificate'),
  })
  expect(gateway.received).toEqual([])
})

test('sends nothing before the TLS handshake ends', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const merchant = { login: LOGIN, controlKey: CONTROL_KEY, idleTimeoutMs: 200 }
  const client = new CounterfoilClient({ endpoint: `https://127.0.0.1:${port}/`, ...merchant })
  await expect(client.report('x')).rejects.toMatchObject({
    code: 'timed-out',
    nothingSent: true,
    message: 'the gateway sent nothing for 0.2 s',
  })
})
