import { describe, expect, it } from 'vitest'
import { caught } from '../../test/caught.ts'
import { KEYS } from '../../test/vectors.ts'
import { importControlKey, importPrivateKey, importPublicKey } from './keys.ts'
import { METHODS } from './methods.ts'

const TEXT = 'Größe ☃ 😀'

describe('METHODS sign text as UTF-8 in every runtime', () => {
  it('with HMAC-SHA1', async () => {
    const key = await importControlKey('secret')
    // printf 'Größe ☃ 😀' | openssl dgst -sha1 -hmac 'secret&' -binary | base64
    expect(await METHODS['HMAC-SHA1'].sign(TEXT, key)).toBe('0+3WUQUjjoqLWtlrWASVlQq9F5E=')
  })

  it('with RSA-SHA256', async () => {
    const rsa = METHODS['RSA-SHA256']
    const signature = await rsa.sign(TEXT, await importPrivateKey(KEYS.private.pkcs8))
    const bytes = Uint8Array.from(atob(signature), (character) => character.charCodeAt(0))
    const publicKey = await importPublicKey(KEYS.public.spki)
    expect(await rsa.verify(TEXT, bytes, publicKey)).toBe(true)
    expect(signature.slice(0, 16)).toBe('G5fNSLAx9rR/TbU5')
  })

  it('and refuse other values', async () => {
    const key = await importControlKey('secret')
    for (const text of [undefined, 1, new Uint8Array()] as unknown as string[]) {
      expect(await caught(() => METHODS['HMAC-SHA1'].sign(text, key))).toMatchObject({
        code: 'options',
      })
    }
  })
})
