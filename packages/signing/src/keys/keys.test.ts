import { describe, expect, it } from 'vitest'
import { runtime } from '#crypto'
import { caught } from '../../test/caught.ts'
import { KEYS } from '../../test/vectors.ts'
import { importControlKey, importPrivateKey, importPublicKey, signerFor } from './keys.ts'
import { METHODS } from './methods.ts'
import { decodeBase64 } from './base64.ts'

const { passphrase, fingerprint } = KEYS
const known = { method: 'RSA-SHA256', bits: 2048, exponent: 65_537, fingerprint }
const rsa = METHODS['RSA-SHA256']

describe('importPrivateKey', () => {
  it('reads the same key from PKCS#1 and PKCS#8, and its public key verifies', async () => {
    const publicKey = await importPublicKey(KEYS.public.spki)
    for (const pem of [KEYS.private.pkcs1, KEYS.private.pkcs8]) {
      const key = await importPrivateKey(pem)
      expect(key).toEqual({ kind: 'private', ...known })
      const signature = Uint8Array.from(atob(await signerFor(key)('text')), (c) => c.charCodeAt(0))
      expect(await rsa.verify('text', signature, publicKey)).toBe(true)
      expect(await rsa.verify('texT', signature, publicKey)).toBe(false)
    }
  })

  it('decrypts encrypted keys, or says that the runtime cannot', async () => {
    const cannot = { code: 'passphrase', message: expect.stringContaining('openssl pkcs8') }
    const expected = runtime.decryptPrivateKey ? known : cannot
    for (const pem of [KEYS.private.pkcs1Encrypted, KEYS.private.pkcs8Encrypted]) {
      const outcome = (options: { passphrase?: string }) =>
        importPrivateKey(pem, options).catch((error: unknown) => error)
      expect(await outcome({ passphrase })).toMatchObject(expected)
      expect(await outcome({ passphrase: 'wrong' })).toMatchObject({ code: 'passphrase' })
      expect(await outcome({})).toMatchObject({ code: 'passphrase' })
    }
  })

  it('reads a key with CRLF line ends, and with text around its block', async () => {
    const pem = KEYS.private.pkcs8
    expect(await importPrivateKey(pem.replaceAll('\n', '\r\n'))).toMatchObject(known)
    expect(await importPrivateKey(`Bag Attributes\n  x: y\n${pem}\n\n`)).toMatchObject(known)
  })

  it('refuses RSA under 2048 bits', async () => {
    const error = await caught(() => importPrivateKey(KEYS.refused.shortPrivate))
    expect(error).toMatchObject({ code: 'key-too-short', message: expect.stringContaining('1024') })
  })

  it('names another kind of key or text', async () => {
    const { pkcs1, pkcs8, pkcs8Encrypted } = KEYS.private
    const pasted: readonly (readonly [string, string])[] = [
      ['', 'expected a PEM text'],
      ['/etc/keys/merchant.pem', 'not the name of a file'],
      [KEYS.public.spki, 'expected a private key'],
      [KEYS.public.certificate, 'got CERTIFICATE'],
      [KEYS.refused.ellipticSec1, 'got EC PRIVATE KEY'],
      [KEYS.refused.ellipticPrivate, 'expected an RSA key'],
      [KEYS.refused.pssPrivate, 'expected an RSA key'],
      [KEYS.refused.opensshPrivate, 'ssh-keygen -p -m PEM'],
      [KEYS.refused.opensshPublic, 'ssh-keygen -e -m PKCS8'],
      [pkcs1.replaceAll('RSA PRIVATE', 'PRIVATE'), 'the form that the label of the PEM names'],
      [pkcs8.replaceAll('PRIVATE', 'RSA PRIVATE'), 'the form that the label of the PEM names'],
      [pkcs8Encrypted.replaceAll('ENCRYPTED ', ''), 'the form that the label of the PEM names'],
      [pkcs8.replace('END PRIVATE', 'END PUBLIC'), 'END line to say PRIVATE KEY'],
      [pkcs8.replace(/-----END.*/s, ''), 'a complete PEM block'],
      [pkcs8.replaceAll('\n', '\\n'), 'expected line breaks'],
      [pkcs8.replaceAll('\n', ' '), 'a complete PEM block'],
      [pkcs8.replace('MII', 'M*I'), 'expected base64'],
      [pkcs8.replace(/MII.{61}\n/, ''), 'the form that the label of the PEM names'],
      [pkcs8 + pkcs1, 'expected one PEM block, got 2'],
    ]
    for (const [pem, expected] of pasted) {
      const error = await caught(() => importPrivateKey(pem))
      expect(error).toMatchObject({ code: 'key', message: expect.stringContaining(expected) })
    }
  })
})

describe('importPublicKey', () => {
  it('reads the same key from SPKI, PKCS#1 and, in Node, an X.509 certificate', async () => {
    const { certificate, ...others } = KEYS.public
    for (const pem of Object.values(others)) {
      expect(await importPublicKey(pem)).toEqual({ kind: 'public', ...known })
    }
    const ofCertificate = await importPublicKey(certificate).catch((error: unknown) => error)
    expect(ofCertificate).toMatchObject(runtime.publicKeyOf ? known : { code: 'key' })
  })

  it('refuses RSA under 2048 bits', async () => {
    const error = await caught(() => importPublicKey(KEYS.refused.shortPublic))
    expect(error).toMatchObject({ code: 'key-too-short', message: expect.stringContaining('1024') })
  })

  it('names another kind of key or text', async () => {
    const { spki, pkcs1, certificate } = KEYS.public
    const pasted: readonly (readonly [string, string])[] = [
      [KEYS.private.pkcs8, 'the private key stays with its owner'],
      [KEYS.refused.ellipticPublic, 'expected an RSA key'],
      [KEYS.refused.opensshPublic, 'ssh-keygen -e -m PKCS8'],
      [spki.replaceAll('PUBLIC', 'RSA PUBLIC'), 'the form that the label of the PEM names'],
      [pkcs1.replaceAll('RSA PUBLIC', 'PUBLIC'), 'the form that the label of the PEM names'],
      [
        certificate.replaceAll('CERTIFICATE', 'PUBLIC KEY'),
        'the form that the label of the PEM names',
      ],
    ]
    for (const [pem, expected] of pasted) {
      const error = await caught(() => importPublicKey(pem))
      expect(error).toMatchObject({ code: 'key', message: expect.stringContaining(expected) })
    }
  })
})

describe('importControlKey', () => {
  it('refuses an empty key, spaces or a line end around it, and a PEM text', async () => {
    for (const text of ['', ' B17F59B4', 'B17F59B4\n', KEYS.private.pkcs8]) {
      expect(await caught(() => importControlKey(text))).toMatchObject({ code: 'key' })
    }
  })
})

describe('keys', () => {
  it('cannot be printed', async () => {
    const key = await importControlKey('the-secret')
    expect(JSON.stringify(key)).toBe('{"kind":"control","method":"HMAC-SHA1"}')
    expect(Reflect.ownKeys(key)).toEqual(['kind', 'method'])
    const privateKey = await importPrivateKey(KEYS.private.pkcs8)
    expect(new Set(Reflect.ownKeys(privateKey))).toEqual(
      new Set(['kind', 'method', 'bits', 'exponent', 'fingerprint']),
    )
  })

  it('fail if they were not imported', async () => {
    const privateKey = await importPrivateKey(KEYS.private.pkcs8)
    expect(await caught(() => signerFor({ ...privateKey }))).toMatchObject({ code: 'key' })
  })
})

const TEXT = 'Größe ☃ 😀'

describe('text is signed as UTF-8 in every runtime', () => {
  it('with HMAC-SHA1', async () => {
    const key = await importControlKey('secret')
    // printf 'Größe ☃ 😀' | openssl dgst -sha1 -hmac 'secret&' -binary | base64
    expect(await signerFor(key)(TEXT)).toBe('0+3WUQUjjoqLWtlrWASVlQq9F5E=')
  })

  it('with RSA-SHA256', async () => {
    const signature = await signerFor(await importPrivateKey(KEYS.private.pkcs8))(TEXT)
    const bytes = Uint8Array.from(atob(signature), (character) => character.charCodeAt(0))
    const publicKey = await importPublicKey(KEYS.public.spki)
    expect(await rsa.verify(TEXT, bytes, publicKey)).toBe(true)
    expect(signature.slice(0, 16)).toBe('G5fNSLAx9rR/TbU5')
  })
})

describe('decodeBase64', () => {
  it('reads canonical base64', () => {
    expect([...(decodeBase64('AAEC/f7/') ?? [])]).toEqual([0, 1, 2, 253, 254, 255])
    expect([...(decodeBase64('AA==') ?? [])]).toEqual([0])
  })

  it('refuses missing padding, stray bits, spaces, the URL alphabet and other text', () => {
    for (const text of ['AA', 'AB==', 'AA= =', ' AA==', 'AA==\n', '_-8=', 'AA===', '!', 'é']) {
      expect(decodeBase64(text)).toBe(undefined)
    }
  })
})
