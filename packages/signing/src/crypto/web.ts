import type { Hash, Runtime } from './runtime.ts'

const utf8 = new TextEncoder()
const RSA = 'RSASSA-PKCS1-v1_5'

/** The runtime on WebCrypto, for browsers and workers. */
export const runtime: Runtime = {
  hash: async (hash, bytes) => new Uint8Array(await crypto.subtle.digest(hash, own(bytes))),

  equalInConstantTime(a, b) {
    if (a.length !== b.length) return false
    let difference = 0
    for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0)
    return difference === 0
  },

  encodeBase64,

  decodeBase64(text) {
    try {
      return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    } catch {
      return new Uint8Array()
    }
  },

  async importHmac(hash, secret) {
    const algorithm = { name: 'HMAC', hash }
    const bytes = typeof secret === 'string' ? utf8.encode(secret) : own(secret)
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
    return {
      async mac(text) {
        return encodeBase64(
          new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text))),
        )
      },
    }
  },

  async importRsaSigner(hash, pkcs8) {
    const key = await importRsa('pkcs8', hash, pkcs8, 'sign')
    return {
      sign: async (text) => new Uint8Array(await crypto.subtle.sign(RSA, key, utf8.encode(text))),
    }
  },

  async importRsaVerifier(hash, spki) {
    const key = await importRsa('spki', hash, spki, 'verify')
    return {
      verify: (text, signature) =>
        crypto.subtle.verify(RSA, key, own(signature), utf8.encode(text)),
    }
  },
}

function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

async function importRsa(
  format: 'pkcs8' | 'spki',
  hash: Hash,
  der: Uint8Array,
  usage: 'sign' | 'verify',
) {
  return await crypto.subtle.importKey(format, own(der), { name: RSA, hash }, false, [usage])
}

/** Copies bytes into a buffer of their own, which the types of WebCrypto require. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
