import { runtime } from '#crypto'
import type { Hash } from '../crypto/runtime.ts'
import { readElements, readSequence, TAG } from '../der.ts'
import { modulusBits, type RsaNumbers } from '../rsa-key.ts'

/** What a signature holds, once the public key has opened it (RFC 8017, 8 and 9). */
export type OpenedSignature =
  /** RSASSA-PKCS1-v1_5, with the name of the hash function; undefined if no name is there. */
  | { readonly padding: 'pkcs1'; readonly hash: string | undefined; readonly digest: Uint8Array }
  /** RSASSA-PSS. */
  | { readonly padding: 'pss' }

const HASH_NAMES: Readonly<Record<string, string>> = {
  '2a864886f70d0205': 'MD5',
  '2b0e03021a': 'SHA-1',
  '608648016503040201': 'SHA-256',
  '608648016503040202': 'SHA-384',
  '608648016503040203': 'SHA-512',
  '608648016503040204': 'SHA-224',
}
const PSS_HASHES: readonly Hash[] = ['SHA-256', 'SHA-1']
const PADDING_BYTES_MIN = 8

/**
 * Opens a signature with a public key: one public operation, on public values. Returns undefined if the content has no
 * known form, so that another key must have made the signature.
 */
export async function openSignature(
  signature: Uint8Array,
  numbers: RsaNumbers,
): Promise<OpenedSignature | undefined> {
  const bits = modulusBits(numbers)
  if (signature.length !== Math.ceil(bits / 8)) return undefined
  const block = power(signature, numbers)
  const pkcs1 = readPkcs1(block)
  if (pkcs1) return pkcs1
  for (const hash of PSS_HASHES) if (await isPss(block, bits - 1, hash)) return { padding: 'pss' }
  return undefined
}

/** Computes signature^exponent modulo the modulus (RFC 8017, 5.2.2). */
function power(signature: Uint8Array, { modulus, exponent }: RsaNumbers): Uint8Array {
  const n = integerOf(modulus)
  const base = integerOf(signature) % n
  let result = 1n
  // The exponent is public and has at most 31 bits.
  for (const bit of integerOf(exponent).toString(2)) {
    result = (result * result) % n
    if (bit === '1') result = (result * base) % n
  }
  const hex = result.toString(16).padStart(signature.length * 2, '0')
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${hexOf(bytes)}`)
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Reads `00 01 FF ... FF 00` and what follows (RFC 8017, 9.2). */
function readPkcs1(block: Uint8Array): OpenedSignature | undefined {
  if (block[0] !== 0 || block[1] !== 1) return undefined
  const end = block.findIndex((byte, index) => index > 1 && byte !== 0xff)
  if (end < 2 + PADDING_BYTES_MIN || block[end] !== 0) return undefined
  const content = block.subarray(end + 1)
  const [algorithm, digest] = readSequence(content) ?? []
  if (algorithm?.tag !== TAG.sequence || digest?.tag !== TAG.octetString) {
    return { padding: 'pkcs1', hash: undefined, digest: content }
  }
  const [identifier] = readElements(algorithm.content) ?? []
  const hash = HASH_NAMES[hexOf(identifier?.content ?? new Uint8Array())] ?? 'another hash'
  return { padding: 'pkcs1', hash, digest: digest.content }
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
