import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  CONTROL_KEY,
  CSV,
  LOGIN,
  RUN,
  sendRecords,
  startGateway,
} from '../../client/test/fixture-gateway.ts'
import { folder, run, useFolder } from './fixture.ts'
import { type Ended, endOf, startChild } from './run-command.ts'

const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
const JWKS = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'key-1' }] })

const BYTES = Buffer.byteLength(CSV)

async function signed(record: object, key = privateKey, kid = 'key-1'): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(record))
  return await new CompactSign(bytes).setProtectedHeader({ alg: 'EdDSA', kid }).sign(key)
}

useFolder()
beforeEach(async () => {
  await save('x.csv', CSV)
  await save('m.json', JSON.stringify(RUN))
  await save('m.jws', await signed(RUN))
  await save('keys.json', JWKS)
})

async function save(name: string, content: string): Promise<void> {
  await writeFile(join(folder, name), content)
}

async function verify(...options: readonly string[]): Promise<Ended> {
  return await run(['verify', 'x.csv', ...options])
}

test('a process verifies a file with a saved JWS and saved keys', async () => {
  const options = ['--manifest', 'm.jws', '--jwks', 'keys.json']
  expect(await endOf(startChild(['verify', 'x.csv', ...options], { folder }))).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'x.csv is the file of run request-1.',
      `3 rows and ${BYTES} bytes; the SHA-256 agrees.`,
      'Report transactions-list for shop, 2026-11-01T10:00:00.000Z.',
      "The manifest is signed by the gateway's key key-1.",
      '',
    ].join('\n'),
  })
})

test('takes the keys from the gateway, without a login', async () => {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/.well-known/jwks.json' ? 200 : 404).end(JWKS)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}/reports`
  expect(await verify('--manifest', 'm.jws', '--endpoint', endpoint)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("signed by the gateway's key key-1"),
  })
  server.closeAllConnections()
})

test('asks the gateway for the manifest of a run', async () => {
  const { endpoint } = await startGateway(() => {}, undefined, sendRecords)
  const env = { COUNTERFOIL_LOGIN: LOGIN, COUNTERFOIL_CONTROL_KEY: CONTROL_KEY }
  const args = ['verify', 'x.csv', '--run', 'request-1', '--endpoint', endpoint]
  expect(await run(args, { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The manifest comes from the gateway.'),
  })
})

test('prints each value of a manifest within its line', async () => {
  const line = "The manifest is signed by the gateway's key key-1."
  const reportIdentifier = `x\n${line}\u2028${line}\u009b2J\u202e`
  await save('m.json', JSON.stringify({ ...RUN, reportIdentifier }))
  const { code, stdout } = await verify('--manifest', 'm.json')
  expect(code).toBe(0)
  expect(stdout.split(/[\n\u2028]/)).not.toContain(line)
  expect(stdout).not.toMatch(/[\u0080-\u009f\u202e]/)
  const { stdout: json } = await verify('--manifest', 'm.json', '--json')
  expect(json).not.toMatch(/[\u0080-\u009f\u202e]/)
  expect(JSON.parse(json)).toMatchObject({ manifest: { reportIdentifier } })
})

test('says that a manifest without a signature proves little', async () => {
  expect(await verify('--manifest', 'm.json')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The manifest is not signed: whoever changed the file'),
  })
})

test.each([
  ['a byte less', CSV.slice(0, -1), `The file has ${BYTES - 1} bytes; the gateway sent ${BYTES}`],
  ['another byte', CSV.replace('a ', 'b '), 'The SHA-256 of the file is another.'],
])('finds %s', async (_, content, finding) => {
  await save('x.csv', content)
  const { code, stdout } = await verify('--manifest', 'm.jws', '--jwks', 'keys.json')
  expect(code).toBe(6)
  expect(stdout).toMatch(/^x\.csv is not the file of run request-1\.\n/)
  expect(stdout).toContain(finding)
  const json = await verify('--manifest', 'm.jws', '--jwks', 'keys.json', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, keyId: 'key-1' })
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test.each([
  ['another key', async () => await signed(RUN, (await generateKeyPair('EdDSA')).privateKey)],
  ['a key that the gateway does not have', async () => await signed(RUN, privateKey, 'key-2')],
  [
    'a changed payload',
    async () => (await signed(RUN)).replace(/\..*\./, `.${encode({ ...RUN, login: 'other' })}.`),
  ],
  ['no signature', async () => `${encode({ alg: 'none' })}.${encode(RUN)}.`],
])('refuses a manifest with %s', async (_, makeManifest) => {
  await save('m.jws', await makeManifest())
  expect(await verify('--manifest', 'm.jws', '--jwks', 'keys.json')).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(/^The signature of the manifest is not valid: .*\n$/),
  })
})

const { file, ...cut } = { ...RUN, outcome: 'cut' }
const compressed = { ...RUN, file: { ...file, contentCoding: 'gzip', bytes: 5 } }

test.each([
  ['is of compressed bytes', compressed, 'the gateway sent 5 bytes, compressed with gzip.'],
  ['has no file', cut, "the run's outcome is cut, not complete."],
])('says that the manifest %s', async (_, record, finding) => {
  await save('m.json', JSON.stringify(record))
  expect(await verify('--manifest', 'm.json')).toMatchObject({
    code: 6,
    stdout: expect.stringContaining(finding),
  })
})

test.each([
  ['two manifests', ['--manifest', 'm.json', '--run', 'x'], /use one of --manifest and --run/],
  ['a manifest that is not there', ['--manifest', 'none'], /--manifest: cannot read the file/],
  ['a manifest that is none', ['--manifest', 'x.csv'], /expected the JSON or the JWS/],
  ['JSON that is no manifest', ['--manifest', 'keys.json'], /expected the JSON or the JWS/],
  ['no keys', ['--manifest', 'm.jws'], /missing --endpoint/],
  ['no key set', ['--manifest', 'm.jws', '--jwks', 'm.json'], /--jwks: expected a JSON Web/],
])('ends with exit code 2 for %s', async (_, options, message) => {
  expect(await verify(...options)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(message),
  })
})
