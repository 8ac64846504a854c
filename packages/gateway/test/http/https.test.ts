// @module-tag long

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CounterfoilClient } from '@counterfoil/client'
import { expect, test } from 'vitest'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { changeLimits } from '../kit/change-limits.ts'
import { freePort } from '../kit/free-port.ts'
import { connectRaw } from '../kit/raw-connection.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

changeLimits({ headersTimeoutMs: 2_000 })

const HTTPS = 'https://127.0.0.1:8443'
const REQUEST = { reportIdentifier: 'transactions-list' }

const sandbox = await useSandbox(1000)
const { certificateFile, keyFile } = await makeCertificate(sandbox.folder, 'gateway')
const tls = { certificate: certificateFile, key: keyFile }

/** Starts a production gateway that serves HTTPS itself, on a free port. */
async function serveHttps(): Promise<RunningGateway> {
  const port = await freePort()
  const publicUrl = `https://127.0.0.1:${port}`
  const listen = { host: '127.0.0.1', port }
  return await serve(sandbox, { environment: 'production', publicUrl, listen, tls })
}

test('serves reports over HTTPS with a certificate', async () => {
  const gateway = await serveHttps()
  const { login, privateKey } = sandbox.logins.merchant
  const ca = readFileSync(tls.certificate, 'utf8')
  const client = new CounterfoilClient({ endpoint: gateway.reportUrl, login, privateKey, ca })
  const saved = await client.download(REQUEST, {}, join(sandbox.folder, 'https.csv'))
  expect(saved.rows).toBeGreaterThan(0)
  expect(readFileSync(saved.file, 'utf8')).toMatch(/^"Merchant_Name",/)

  const stranger = new CounterfoilClient({ endpoint: gateway.reportUrl, login, privateKey })
  await expect(stranger.report(REQUEST)).rejects.toMatchObject({ code: 'network-error' })
  const plain = gateway.reportUrl.replace('https:', 'http:')
  await expect(fetch(plain, { method: 'POST' })).rejects.toThrow('fetch failed')
  await gateway.close()
})

test('closes a connection whose handshake takes longer than the time for the headers, and closes although another one never ends', async () => {
  const gateway = await serveHttps()
  const startedAt = performance.now()
  const silent = await connectRaw(gateway.port)
  await silent.received
  // Node's default for the handshake is two minutes.
  expect(performance.now() - startedAt).toBeLessThan(60_000)
  const another = await connectRaw(gateway.port)
  another.socket.on('error', () => {})
  const closingAt = performance.now()
  await gateway.close()
  expect(performance.now() - closingAt).toBeLessThan(60_000)
  await another.received
})

test('starts with an expired certificate, and warns', async () => {
  const options = { expired: true, name: 'expired' }
  const made = await makeCertificate(sandbox.folder, 'gateway', options)
  const expired = { certificate: made.certificateFile, key: made.keyFile }
  const gateway = await serve(sandbox, { publicUrl: HTTPS, tls: expired })
  const msg = `The certificate in ${expired.certificate} expired on 2025-02-01.`
  expect(gateway.lines()).toContainEqual(expect.objectContaining({ level: 'warn', msg }))
  await gateway.close()
})
