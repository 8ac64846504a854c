import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
  X509Certificate,
} from 'node:crypto'
import type { Hash, Runtime } from './runtime.ts'

const NODE_NAME: Record<Hash, string> = { 'SHA-1': 'sha1', 'SHA-256': 'sha256' }

/** The runtime on `node:crypto`. It returns results directly, without promises. */
export const runtime: Runtime = {
  hash: (hash, bytes) => createHash(NODE_NAME[hash]).update(bytes).digest(),
  equalInConstantTime: (a, b) => a.length === b.length && timingSafeEqual(a, b),
  encodeBase64: (bytes) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  decodeBase64: (text) => Buffer.from(text, 'base64'),

  importHmac(secret) {
    const key = createSecretKey(Buffer.from(secret))
    return { mac: (text) => createHmac('sha1', key).update(text, 'utf8').digest('base64') }
  },

  importRsaSigner(pkcs8) {
    const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })
    requireRsa(key)
    return { sign: (text) => sign('sha256', Buffer.from(text), key), spki: spkiOf(key) }
  },

  importRsaVerifier(spki) {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    requireRsa(key)
    return {
      verify: (text, signature) => verify('sha256', Buffer.from(text), key, signature),
      spki: spkiOf(key),
      jwk: key.export({ format: 'jwk' }),
    }
  },

  decryptPrivateKey: (pem, passphrase) =>
    createPrivateKey({ key: pem, format: 'pem', passphrase }).export({
      format: 'der',
      type: 'pkcs8',
    }),

  publicKeyOf: (certificate) => spkiOf(new X509Certificate(certificate).publicKey),
}

function spkiOf(key: KeyObject): Uint8Array {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return publicKey.export({ format: 'der', type: 'spki' })
}

function requireRsa({ asymmetricKeyType }: KeyObject): void {
  if (asymmetricKeyType !== 'rsa') throw new Error(`a key for ${asymmetricKeyType}`)
}
