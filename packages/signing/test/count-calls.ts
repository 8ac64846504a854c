import { runtime } from '#crypto'

/** The calls of the crypto runtime since the list was last emptied, with real keys and with decoys. */
export const calls: string[] = []

const real = { ...runtime }

Object.assign(runtime, {
  importRsaVerifier(...passed: Parameters<typeof real.importRsaVerifier>) {
    const verifier = real.importRsaVerifier(...passed)
    if (verifier instanceof Promise) throw new Error('expected the runtime of Node')
    return {
      ...verifier,
      verify(text: string, signature: Uint8Array) {
        calls.push(`verify ${signature.length} from ${signature[0]}`)
        return verifier.verify(text, signature)
      },
    }
  },
  equalInConstantTime(a: Uint8Array, b: Uint8Array) {
    calls.push(`equal ${a.length} ${b.length}`)
    return real.equalInConstantTime(a, b)
  },
  hash(...passed: Parameters<typeof real.hash>) {
    calls.push(`hash ${passed[1].length}`)
    return real.hash(...passed)
  },
})
