import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { type MasterKeys, openMasterKeys, seal, unseal } from './seal.ts'

const FIRST = randomBytes(32).toString('base64')
const SECOND = randomBytes(32).toString('base64')

const masterKeys = (keys: Record<number, string>): MasterKeys =>
  openMasterKeys(
    Object.keys(keys).map((version) => ({ version: Number(version), environment: version })),
    keys,
  )

const owner = fc.record({ login: fc.string(), keyId: fc.string() })

describe('a sealed secret', () => {
  test('opens for its owner, and does not show the secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), owner, (secret, ownerOf) => {
        const sealed = seal(secret, ownerOf, masterKeys({ 1: FIRST }), randomBytes)
        expect(unseal(sealed, ownerOf, masterKeys({ 1: FIRST }))).toBe(secret)
        expect(Buffer.from(sealed.ciphertext).includes(secret)).toBe(false)
      }),
    )
  })

  test('opens for no other login and key id, however alike the two are', () => {
    const keys = masterKeys({ 1: FIRST })
    fc.assert(
      fc.property(owner, owner, (one, other) => {
        fc.pre(one.login !== other.login || one.keyId !== other.keyId)
        const sealed = seal('secret', one, keys, randomBytes)
        expect(() => unseal(sealed, other, keys)).toThrow('Cannot decrypt the key')
      }),
    )
    const shifted = seal('secret', { login: 'ab', keyId: 'c' }, keys, randomBytes)
    expect(() => unseal(shifted, { login: 'a', keyId: 'bc' }, keys)).toThrow(
      'Cannot decrypt the key',
    )
  })

  test('opens with no other master key, and under no other version of the same one', () => {
    const ownerOf = { login: 'shop', keyId: 'k' }
    const sealed = seal('secret', ownerOf, masterKeys({ 1: FIRST }), randomBytes)
    expect(() => unseal(sealed, ownerOf, masterKeys({ 1: SECOND }))).toThrow(
      'Cannot decrypt the key',
    )
    expect(() => unseal(sealed, ownerOf, masterKeys({ 2: FIRST }))).toThrow(
      'Master key 1 is missing',
    )
    const renamed = { ...sealed, masterKeyVersion: 2 }
    expect(() => unseal(renamed, ownerOf, masterKeys({ 1: FIRST, 2: FIRST }))).toThrow(
      'Cannot decrypt the key',
    )
  })

  test('does not open once any byte of it was changed or cut off', () => {
    const ownerOf = { login: 'shop', keyId: 'k' }
    const keys = masterKeys({ 1: FIRST })
    const part = fc.constantFrom('iv' as const, 'ciphertext' as const, 'tag' as const)
    fc.assert(
      fc.property(part, fc.nat(), fc.integer({ min: 1, max: 255 }), (name, at, difference) => {
        const sealed = seal('a secret', ownerOf, keys, randomBytes)
        const bytes = Uint8Array.from(sealed[name])
        const index = at % bytes.length
        const changed = bytes.with(index, (bytes[index] ?? 0) ^ difference)
        expect(() => unseal({ ...sealed, [name]: changed }, ownerOf, keys)).toThrow(
          'Cannot decrypt the key',
        )
        const cut = { ...sealed, [name]: bytes.slice(0, index) }
        expect(() => unseal(cut, ownerOf, keys)).toThrow('Cannot decrypt the key')
      }),
    )
  })

  test('is sealed by the newest master key, while older ones still open', () => {
    const ownerOf = { login: 'shop', keyId: 'k' }
    const older = seal('old', ownerOf, masterKeys({ 9: FIRST }), randomBytes)
    const both = masterKeys({ 10: SECOND, 9: FIRST })
    const newer = seal('new', ownerOf, both, randomBytes)
    expect(newer.masterKeyVersion).toBe(10)
    expect(unseal(newer, ownerOf, both)).toBe('new')
    expect(unseal(older, ownerOf, both)).toBe('old')
  })
})

describe('a master key', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('is read from a file that only its owner may read', () => {
    const file = join(folder, 'master.key')
    writeFileSync(file, `${FIRST}\n`, { mode: 0o600 })
    const sealed = seal('s', { login: 'a', keyId: 'b' }, masterKeys({ 1: FIRST }), randomBytes)
    const opened = openMasterKeys([{ version: 1, file }], {})
    expect(unseal(sealed, { login: 'a', keyId: 'b' }, opened)).toBe('s')
  })

  test.each([0o660, 0o604, 0o622])('is refused in a file of mode %o', (mode) => {
    const file = join(folder, 'master.key')
    writeFileSync(file, FIRST)
    chmodSync(file, mode)
    expect(() => openMasterKeys([{ version: 1, file }], {})).toThrow(`chmod 600 ${file}`)
  })

  test('that is missing, too short, too long or not base64 is refused without being shown', () => {
    const advice = 'make them with "openssl rand -base64 32"'
    const expected = `master key 3: expected 32 bytes in base64 in $KEY (${advice})`
    const wrong = [FIRST.slice(4), `${FIRST}AAAA`, `*${FIRST.slice(1)}`, 'password', '', undefined]
    for (const KEY of wrong) {
      const open = () => openMasterKeys([{ version: 3, environment: 'KEY' }], { KEY })
      expect(open).toThrow(new GatewayError('config', expected))
    }
    const file = join(folder, 'none')
    expect(() => openMasterKeys([{ version: 3, file }], {})).toThrow(
      'Cannot read the master key file',
    )
  })

  test('is not shown by an inspector', () => {
    const shown = inspect(masterKeys({ 1: FIRST }), { depth: 9, showHidden: true })
    expect(shown).not.toContain(FIRST)
    expect(shown).not.toContain(Buffer.from(FIRST, 'base64').toString('hex'))
  })
})
