import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { createError, invalidSettings } from '../errors/counterfoil-error.ts'
import { createFetchTransport } from './fetch-transport.ts'
import type { Runtime } from './runtime.ts'

/** The runtime of browsers: `fetch`. WebCrypto cannot hash bytes that arrive in pieces, so a library does. */
export const runtime: Runtime = {
  createTransport(ca) {
    if (ca === undefined) return createFetchTransport(globalThis.fetch)
    throw invalidSettings('ca: this runtime trusts its own certificates only')
  },
  createSha256() {
    const hash = sha256.create()
    return { update: (bytes) => void hash.update(bytes), hex: () => bytesToHex(hash.digest()) }
  },
  async saveReport() {
    const message = 'this runtime has no file system; use report() instead of download()'
    throw createError('file-error', message, {})
  },
}
