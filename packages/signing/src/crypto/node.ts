import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  sign,
  timingSafeEqual,
  verify,
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

  importHmac(hash, secret) {
    const name = NODE_NAME[hash]
    const key = createSecretKey(Buffer.from(secret))
    return { mac: (text) => createHmac(name, key).update(text, 'utf8').digest('base64') }
  },

  importRsaSigner(hash, pkcs8) {
    const name = NODE_NAME[hash]
    const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })
    return { sign: (text) => sign(name, Buffer.from(text), key) }
  },

  importRsaVerifier(hash, spki) {
    const name = NODE_NAME[hash]
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    return { verify: (text, signature) => verify(name, Buffer.from(text), key, signature) }
  },

  decryptPrivateKey: (pem, passphrase) =>
    createPrivateKey({ key: pem, format: 'pem', passphrase }).export({
      format: 'der',
      type: 'pkcs8',
    }),
}
