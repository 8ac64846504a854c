// @module-tag long

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  CONTROL_KEY,
  type FixtureGateway,
  LOGIN,
  sendReport,
  startGateway,
} from '../../client/test/fixture-gateway.ts'
import { makeCertificate } from '../../client/test/make-certificate.ts'
import { CHILD_ENV } from './run-command.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs `counterfoil report` against a URL. */
async function report(endpoint: string, ...options: readonly string[]) {
  const env = {
    ...CHILD_ENV,
    COUNTERFOIL_ENDPOINT: endpoint,
    COUNTERFOIL_LOGIN: LOGIN,
    COUNTERFOIL_CONTROL_KEY: CONTROL_KEY,
  }
  const child = spawn(process.execPath, [MAIN, 'report', 'x', ...options], { cwd: folder, env })
  const [stderr] = await Promise.all([text(child.stderr), text(child.stdout)])
  return stderr
}

const startTls = async (tls: { key: string; cert: string }): Promise<FixtureGateway> => {
  return await startGateway((response) => sendReport(response), tls)
}

test('names --ca for a certificate of an unknown issuer, and says when the --ca file holds another one', async () => {
  const own = await makeCertificate(folder, 'own', { name: 'own' })
  const other = await makeCertificate(folder, 'other', { name: 'other' })
  const { endpoint } = await startTls(own)
  const untrusted = await report(endpoint)
  expect(untrusted).not.toContain('--use-system-ca')
  expect(untrusted).toMatch(
    /^counterfoil: network-error: this machine does not trust the certificate of 127\.0\.0\.1:\d+: self-signed/,
  )
  expect(untrusted).toMatch(/^Next: if the gateway's certificate is self-signed .* --ca FILE\.$/m)
  expect(await report(endpoint, '--ca', other.certificateFile)).toMatch(
    /^Next: the --ca file does not hold the authority of the gateway's certificate/m,
  )
  expect(await report(endpoint, '--ca', own.certificateFile)).toMatch(/^Saved /)
})

test('names --ca for a certificate of a private authority, whatever the gateway sends of the chain', async () => {
  const root = await makeCertificate(folder, 'root', { name: 'root', dnsName: 'root.example.com' })
  const middle = await makeCertificate(folder, 'middle', {
    name: 'middle',
    dnsName: 'middle.example.com',
    issuer: root,
  })
  const leaf = await makeCertificate(folder, 'leaf', { name: 'leaf', issuer: middle })
  for (const chain of [[leaf], [leaf, middle], [leaf, middle, root]]) {
    const { endpoint } = await startTls({ ...leaf, cert: chain.map(({ cert }) => cert).join('') })
    const stderr = await report(endpoint)
    expect(stderr).toContain('this machine does not trust the certificate of 127.0.0.1:')
    expect(stderr).toMatch(/^Next: if the gateway's certificate is .* --ca FILE\.$/m)
    if (chain.length !== 2) continue
    const trusted = await report(endpoint, '--ca', root.certificateFile, '--overwrite')
    expect(trusted).toMatch(/^Saved /)
  }
})

test('says that a certificate is for another host', async () => {
  const foreign = await makeCertificate(folder, 'foreign', {
    name: 'foreign',
    dnsName: 'reports.example.com',
  })
  const { endpoint } = await startTls(foreign)
  const stderr = await report(endpoint, '--ca', foreign.certificateFile)
  expect(stderr).toMatch(/the certificate of 127.0.0.1:\d+ is for DNS:reports.example.com\n/)
  expect(stderr).toMatch(/^Next: use a host name of the certificate in --endpoint/m)
})

test('says that there is no TLS', async () => {
  const { endpoint } = await startGateway((response) => sendReport(response))
  const stderr = await report(endpoint.replace('http:', 'https:'))
  expect(stderr).toMatch(/^counterfoil: network-error: 127.0.0.1:\d+ does not speak TLS\n/)
  expect(stderr).toMatch(
    /^Next: check the port of --endpoint, and whether it begins with http: or/m,
  )
})

test('says that a port may speak TLS where http: finds no answer', async () => {
  const { endpoint } = await startTls(await makeCertificate(folder, 'tls', { name: 'tls' }))
  expect(await report(endpoint.replace('https:', 'http:'))).toMatch(
    /^counterfoil: network-error: no answer from 127.0.0.1:\d+: .*; its port may speak TLS: use https:\n/,
  )
})
