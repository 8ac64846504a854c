import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { readTls } from './read-tls.ts'

const DAY_MS = 86_400_000

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  for (const name of ['one', 'other']) await makeCertificate(folder, 'x', { name })
  writeFileSync(join(folder, 'nothing'), 'nothing')
})
afterAll(() => rmSync(folder, { recursive: true }))

function read(certificate: string, key: string, now = new Date()) {
  return readTls({ certificate: join(folder, certificate), key: join(folder, key) }, now)
}

test('a valid pair has no fault', () => {
  const { dateFault, validTo } = read('one.pem', 'one.key')
  expect(dateFault).toBeUndefined()
  expect(Date.parse(validTo)).toBeGreaterThan(Date.now() + DAY_MS)
})

test('names the date of a certificate that has expired or is not valid yet', () => {
  const { validTo } = read('one.pem', 'one.key')
  const file = join(folder, 'one.pem')
  const late = new Date(Date.parse(validTo) + 1)
  expect(read('one.pem', 'one.key', late).dateFault).toBe(
    `The certificate in ${file} expired on ${validTo.slice(0, 10)}.`,
  )
  const early = new Date(Date.parse(validTo) - 3 * DAY_MS)
  expect(read('one.pem', 'one.key', early).dateFault).toMatch(
    /^The certificate in .*one\.pem is not valid before \d{4}-\d\d-\d\d\.$/,
  )
})

test.each([
  ['none.pem', 'one.key', /^tls\.certificate: .*none\.pem does not exist\.$/],
  ['one.pem', 'none.key', /^tls\.key: .*none\.key does not exist\.$/],
  ['nothing', 'one.key', /^tls\.certificate: .*nothing holds no certificate in PEM\.$/],
  [
    'one.pem',
    'nothing',
    /^tls\.key: .*nothing holds no private key in PEM without a passphrase\.$/,
  ],
  [
    'one.pem',
    'other.key',
    /^tls\.key: .*other\.key is not the key of the certificate in .*one\.pem\.$/,
  ],
])('for %s with %s, the error names the faulty file', (certificate, key, expected) => {
  expect(() => read(certificate, key)).toThrow(expected)
})
