import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { CounterfoilClient } from '@counterfoil/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LIMITS } from '../../src/limits.ts'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { freePort } from '../kit/free-port.ts'
import { connectWithRecords } from '../kit/key-updates.ts'
import { connectRaw } from '../kit/raw-connection.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { runHere } from '../kit/run-here.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

vi.mock('../../src/limits.ts', async (importOriginal) => {
  const original = await importOriginal<{ LIMITS: typeof LIMITS }>()
  return { LIMITS: { ...original.LIMITS, headersTimeoutMs: 2_000 } }
})

const HTTPS = 'https://127.0.0.1:8443'
const REQUEST = { reportIdentifier: 'transactions-list' }

let sandbox: Sandbox
let tls: { certificate: string; key: string }
beforeAll(async () => {
  sandbox = await makeSandbox(1000)
  const { certificateFile, keyFile } = await makeCertificate(sandbox.folder, 'gateway')
  tls = { certificate: certificateFile, key: keyFile }
})
afterAll(() => sandbox.remove())

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

/** Runs `serve` with a certificate. Returns the error. */
async function startWith(certificate: typeof tls): Promise<string> {
  const config = await sandbox.writeConfig({ publicUrl: HTTPS, tls: certificate })
  const { code, stderr } = await runHere('serve', '--config', config)
  expect(code).toBe(1)
  return stderr
}

test('closes a connection that updates its keys too often, and in the end all connections of its address', async () => {
  const gateway = await serveHttps()
  const { keyUpdatesMax, newConnectionsMax, costlyConnectionCost } = LIMITS
  const other = await connectWithRecords(gateway.port, '127.0.0.2')
  const idle = await connectWithRecords(gateway.port, '127.0.0.1')
  const least = Math.floor(newConnectionsMax / costlyConnectionCost)
  let attempts = 0
  // Twice as many are necessary if a new window begins in between.
  while (!idle.socket.closed && attempts < 3 * least) {
    attempts += 1
    const { socket, keyUpdates } = await connectWithRecords(gateway.port, '127.0.0.1')
    const closed = once(socket, 'close')
    socket.write(keyUpdates(keyUpdatesMax + 1))
    await closed
  }
  await expect.poll(() => idle.socket.closed).toBe(true)
  expect(attempts).toBeGreaterThanOrEqual(least)

  const request = 'GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  const closed = once(other.socket, 'close')
  other.socket.write(Buffer.concat([other.keyUpdates(keyUpdatesMax), other.data(request)]))
  await closed
  // The answers to the key updates and to the request.
  expect(other.socket.bytesRead).toBeGreaterThan(keyUpdatesMax * 27 + 200)
  await gateway.close()
})

test('closes a connection over TLS 1.2 that renegotiates', async () => {
  const gateway = await serveHttps()
  const options = { host: '127.0.0.1', port: gateway.port, rejectUnauthorized: false }
  const socket = connectTls({ ...options, maxVersion: 'TLSv1.2' }).on('error', () => {})
  await once(socket, 'secureConnect')
  const closed = once(socket, 'close')
  const onRenegotiated = vi.fn<(error: Error | null) => void>()
  socket.renegotiate({ rejectUnauthorized: false }, onRenegotiated)
  await closed
  expect(onRenegotiated).not.toHaveBeenCalledWith(null)
  await gateway.close()
})

test('does not start without its certificate file', async () => {
  const broken = { ...tls, certificate: join(sandbox.folder, 'none.pem') }
  expect(await startWith(broken)).toContain(
    `error: tls.certificate: ${broken.certificate} does not exist.`,
  )
})

test('does not start with a broken certificate', async () => {
  const broken = { ...tls, certificate: join(sandbox.folder, 'broken.pem') }
  writeFileSync(broken.certificate, 'no certificate')
  expect(await startWith(broken)).toContain(
    `error: tls.certificate: ${broken.certificate} holds no certificate in PEM.`,
  )
})

test('starts with an expired certificate, and warns', async () => {
  const options = { expired: true, name: 'expired' }
  const { certificateFile, keyFile } = await makeCertificate(sandbox.folder, 'gateway', options)
  const expired = { certificate: certificateFile, key: keyFile }
  const gateway = await serve(sandbox, { publicUrl: HTTPS, tls: expired })
  const msg = `The certificate in ${expired.certificate} expired on 2025-02-01.`
  expect(gateway.lines()).toContainEqual(expect.objectContaining({ level: 'warn', msg }))
  await gateway.close()
})
