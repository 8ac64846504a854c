import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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
import { CHILD_ENV } from './run-command.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Makes a certificate for a name, and returns its files. It is self-signed unless it has an issuer. */
function makeCertificate(name: string, subject: string, issuer?: string) {
  const [keyFile, certFile] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
  const make = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
  ]
  const rest = ['-addext', `subjectAltName=${subject}`, '-keyout', keyFile, '-out', certFile]
  const [issuerCert = '', issuerKey = ''] = ['pem', 'key'].map((type) =>
    join(folder, `${issuer}.${type}`),
  )
  const issuing = issuer === undefined ? [] : ['-CA', issuerCert, '-CAkey', issuerKey]
  execFileSync('openssl', [...make, ...rest, ...issuing], { stdio: 'pipe' })
  return { certFile, key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
}

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
  const own = makeCertificate('own', 'IP:127.0.0.1')
  const other = makeCertificate('other', 'IP:127.0.0.1')
  const { endpoint } = await startTls(own)
  const untrusted = await report(endpoint)
  expect(untrusted).not.toContain('--use-system-ca')
  expect(untrusted).toMatch(
    /^counterfoil: network-error: this machine does not trust the certificate of 127\.0\.0\.1:\d+: self-signed/,
  )
  expect(untrusted).toMatch(/^Next: if the gateway's certificate is self-signed .* --ca FILE\.$/m)
  expect(await report(endpoint, '--ca', other.certFile)).toMatch(
    /^Next: the --ca file does not hold the authority of the gateway's certificate/m,
  )
  expect(await report(endpoint, '--ca', own.certFile)).toMatch(/^Saved /)
})

test('names --ca for a certificate of a private authority, whatever the gateway sends of the chain', async () => {
  const root = makeCertificate('root', 'DNS:root.example.com')
  const middle = makeCertificate('middle', 'DNS:middle.example.com', 'root')
  const leaf = makeCertificate('leaf', 'IP:127.0.0.1', 'middle')
  for (const chain of [[leaf], [leaf, middle], [leaf, middle, root]]) {
    const { endpoint } = await startTls({ ...leaf, cert: chain.map(({ cert }) => cert).join('') })
    const stderr = await report(endpoint)
    expect(stderr).toContain('this machine does not trust the certificate of 127.0.0.1:')
    expect(stderr).toMatch(/^Next: if the gateway's certificate is .* --ca FILE\.$/m)
    if (chain.length !== 2) continue
    const trusted = await report(endpoint, '--ca', root.certFile, '--overwrite')
    expect(trusted).toMatch(/^Saved /)
  }
})

test('says that a certificate is for another host', async () => {
  const foreign = makeCertificate('foreign', 'DNS:reports.example.com')
  const { endpoint } = await startTls(foreign)
  const stderr = await report(endpoint, '--ca', foreign.certFile)
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
  const { endpoint } = await startTls(makeCertificate('tls', 'IP:127.0.0.1'))
  expect(await report(endpoint.replace('https:', 'http:'))).toMatch(
    /^counterfoil: network-error: no answer from 127.0.0.1:\d+: .*; its port may speak TLS: use https:\n/,
  )
})
