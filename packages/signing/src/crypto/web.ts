import type { Runtime } from './runtime.ts'

const utf8 = new TextEncoder()
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

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

  async importHmac(secret) {
    const algorithm = { name: 'HMAC', hash: 'SHA-1' }
    const bytes = typeof secret === 'string' ? utf8.encode(secret) : own(secret)
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
    return {
      mac: async (text) => {
        const code = await crypto.subtle.sign('HMAC', key, utf8.encode(text))
        return encodeBase64(new Uint8Array(code))
      },
    }
  },

  async importRsaSigner(pkcs8) {
    const key = await crypto.subtle.importKey('pkcs8', own(pkcs8), RSA, true, ['sign'])
    const { n = '', e = '' } = await crypto.subtle.exportKey('jwk', key)
    const jwk = { kty: 'RSA', n, e }
    const publicKey = await crypto.subtle.importKey('jwk', jwk, RSA, true, ['verify'])
    return {
      sign: async (text) => {
        return new Uint8Array(await crypto.subtle.sign(RSA.name, key, utf8.encode(text)))
      },
      spki: new Uint8Array(await crypto.subtle.exportKey('spki', publicKey)),
    }
  },

  async importRsaVerifier(spki) {
    const key = await crypto.subtle.importKey('spki', own(spki), RSA, true, ['verify'])
    return {
      verify: (text, signature) =>
        crypto.subtle.verify(RSA.name, key, own(signature), utf8.encode(text)),
      spki: new Uint8Array(await crypto.subtle.exportKey('spki', key)),
      jwk: await crypto.subtle.exportKey('jwk', key),
    }
  },
}

function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Copies bytes into a buffer of their own, which the types of WebCrypto require. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
