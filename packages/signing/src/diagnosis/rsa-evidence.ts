import { runtime } from '#crypto'
import { bytesOfHex, encodeBase64, hexOf } from '../keys/base64.ts'
import type { Hash } from '../crypto/runtime.ts'
import { numbersOf, type VerificationKey, verifierOf } from '../keys/keys.ts'
import type { Evidence } from './hmac-evidence.ts'
import type { MistakeCode } from './mistakes.ts'

const UTF8 = new TextEncoder()

/** What stands before the digest in a signature of RSASSA-PKCS1-v1_5: the name of the hash (RFC 8017, 9.2, note 1). */
const SHA_256_NAME = '3031300d060960864801650304020105000420'
const SHA_1_NAME = '3021300906052b0e03021a05000414'

/**
 * Looks at a signature of RSA-SHA256 with the public keys of a login. The public operation is done once for each key.
 * After it, a base string costs one hash.
 */
export async function rsaEvidence(
  keys: readonly VerificationKey[],
  signature: Uint8Array,
): Promise<Evidence> {
  if (keys.length === 0) return certain(undefined)
  const block = await openWith(keys, signature)
  if (!block) return certain('rsa-other-key')
  const content = hexOf(pkcs1Content(block) ?? new Uint8Array())
  if (content === '') return certain('rsa-pss')
  if (content.startsWith(SHA_1_NAME)) return certain('rsa-sha1')
  if (!content.startsWith(SHA_256_NAME)) {
    // The name of a hash is a DER sequence of the content's length.
    const isNamed = content.startsWith(`30${(content.length / 2 - 2).toString(16)}`)
    return certain(isNamed ? 'rsa-other-hash' : 'rsa-without-hash-name')
  }
  const signed = content.slice(SHA_256_NAME.length)
  const hash = async (bytes: Uint8Array) => hexOf(await runtime.hash('SHA-256', bytes))
  return {
    isOf: async (text) => (await hash(UTF8.encode(text))) === signed,
    async mistakeOf(baseString) {
      const once = await runtime.hash('SHA-256', UTF8.encode(baseString))
      for (const bytes of [once, UTF8.encode(hexOf(once)), UTF8.encode(encodeBase64(once))]) {
        if ((await hash(bytes)) === signed) return 'rsa-of-hash'
      }
      return undefined
    },
    otherwise: 'base-string-other',
  }
}

/** The evidence if the signature itself shows the mistake, or if no key can show any. */
function certain(code: MistakeCode | undefined): Evidence {
  const nothing = { isOf: async () => false, mistakeOf: async () => undefined }
  return code === undefined ? nothing : { ...nothing, otherwise: code }
}

/**
 * Opens a signature with each public key: one public operation, on public values (RFC 8017, 8 and 9). Returns undefined
 * if no content has a known form, so that another key must have made the signature.
 */
async function openWith(
  keys: readonly VerificationKey[],
  signature: Uint8Array,
): Promise<Uint8Array | undefined> {
  for (const key of keys) {
    if (key.kind !== 'public' || signature.length !== Math.ceil(key.bits / 8)) continue
    const block = power(signature, ...numbersOf(verifierOf(key).verifier))
    if (pkcs1Content(block)) return block
    for (const hash of ['SHA-256', 'SHA-1'] as const) {
      if (await isPss(block, key.bits - 1, hash)) return block
    }
  }
  return undefined
}

/** Computes signature^exponent modulo the modulus (RFC 8017, 5.2.2). */
function power(signature: Uint8Array, modulus: Uint8Array, exponent: Uint8Array): Uint8Array {
  const n = integerOf(modulus)
  const base = integerOf(signature) % n
  let result = 1n
  // The exponent is public and has at most 31 bits.
  for (const bit of integerOf(exponent).toString(2)) {
    result = (result * result) % n
    if (bit === '1') result = (result * base) % n
  }
  return bytesOfHex(result.toString(16).padStart(signature.length * 2, '0')) ?? new Uint8Array()
}

function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${hexOf(bytes)}`)
}

/** Returns what follows `00 01 FF ... FF 00` in a block (RFC 8017, 9.2). */
function pkcs1Content(block: Uint8Array): Uint8Array | undefined {
  const end = block.indexOf(0, 1)
  const padding = block.subarray(2, end)
  if (block[0] !== 0 || block[1] !== 1 || padding.length < 8) return undefined
  return padding.every((byte) => byte === 0xff) ? block.subarray(end + 1) : undefined
}

/** Whether a block has the form of RSASSA-PSS with a salt of any length (RFC 8017, 9.1.2, steps 4 to 10). */
async function isPss(block: Uint8Array, bits: number, hash: Hash): Promise<boolean> {
  const encoded = block.subarray(block.length - Math.ceil(bits / 8))
  const unused = encoded.length * 8 - bits
  if (encoded.at(-1) !== 0xbc || (encoded[0] ?? 0) >> (8 - unused) !== 0) return false
  const hashBytes = hash === 'SHA-1' ? 20 : 32
  const maskedBytes = encoded.subarray(0, encoded.length - hashBytes - 1)
  const seed = encoded.subarray(maskedBytes.length, -1)
  const mask = await generateMask(seed, maskedBytes.length, hash)
  const data = maskedBytes.map((byte, index) => byte ^ (mask[index] ?? 0))
  data[0] = (data[0] ?? 0) & (0xff >> unused)
  return data.find((byte) => byte !== 0) === 1
}

/** The mask generation function MGF1 (RFC 8017, B.2.1). */
async function generateMask(seed: Uint8Array, length: number, hash: Hash): Promise<Uint8Array> {
  const mask: number[] = []
  for (let counter = 0; mask.length < length; counter += 1) {
    mask.push(...(await runtime.hash(hash, Uint8Array.of(...seed, 0, 0, 0, counter))))
  }
  return Uint8Array.from(mask.slice(0, length))
}
