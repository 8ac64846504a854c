import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { png } from '../../../formats/test/kit/png.ts'
import { readLetterhead, readTls } from './configured-files.ts'

const DAY_MS = 86_400_000

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
for (const name of ['one', 'other']) await makeCertificate(folder, 'x', { name })
writeFileSync(join(folder, 'nothing'), 'nothing')
const { privateKey } = generateKeyPairSync('ed25519')
writeFileSync(join(folder, 'ed25519.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
afterAll(() => rmSync(folder, { recursive: true }))

function readPair(certificate: string, key: string, now = new Date()) {
  return readTls({ certificate: join(folder, certificate), key: join(folder, key) }, now)
}

test('names the date of a certificate that has expired or is not valid yet', () => {
  const { dateFault, validTo } = readPair('one.pem', 'one.key')
  expect(dateFault).toBeUndefined()
  expect(Date.parse(validTo)).toBeGreaterThan(Date.now() + DAY_MS)
  const late = new Date(Date.parse(validTo) + 1)
  expect(readPair('one.pem', 'one.key', late).dateFault).toBe(
    `The certificate in ${join(folder, 'one.pem')} expired on ${validTo.slice(0, 10)}.`,
  )
  const early = new Date(Date.parse(validTo) - 3 * DAY_MS)
  expect(readPair('one.pem', 'one.key', early).dateFault).toMatch(
    /^The certificate in .*one\.pem is not valid before \d{4}-\d\d-\d\d\.$/,
  )
})

test.each([
  ['none.pem', 'one.key', 'tls.certificate: FOLDER/none.pem does not exist.'],
  ['nothing', 'one.key', 'tls.certificate: FOLDER/nothing holds no certificate in PEM.'],
  [
    'one.pem',
    'nothing',
    'tls.key: FOLDER/nothing holds no private key in PEM without a passphrase.',
  ],
  [
    'one.pem',
    'other.key',
    'tls.key: FOLDER/other.key is not the key of the certificate in FOLDER/one.pem, or',
  ],
  ['one.pem', 'ed25519.key', 'tls.key: FOLDER/ed25519.key is not the key of the certificate'],
])('for %s with %s, the error names the faulty file', (certificate, key, expected) => {
  expect(() => readPair(certificate, key)).toThrow(expected.replaceAll('FOLDER', folder))
})

test('reads the logo of a letterhead, and refuses a logo that no PDF can hold', () => {
  const read = (color: 2 | 6) => {
    const logo = join(folder, 'logo.png')
    writeFileSync(logo, png(3, 2, { color }))
    const pdf = { rowsMax: 1, taggedRowsMax: 1, letterhead: { name: 'Acme', address: [], logo } }
    return readLetterhead({ formats: { pdf } })
  }
  expect(read(2)).toMatchObject({ name: 'Acme', logo: { width: 3, height: 2 } })
  expect(() => read(6)).toThrow(
    /^formats\.pdf\.letterhead\.logo: cannot use .*: expected a PNG without transparency/,
  )
})
