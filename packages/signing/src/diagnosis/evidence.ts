import { runtime } from '#crypto'
import { bytesOfHex, decodeBase64, encodeBase64, hexOf } from '../keys/base64.ts'
import { percentEncode } from '../parameters/encode.ts'
import { controlKeyText, numbersOf, type VerificationKey, verifierOf } from '../keys/keys.ts'
import { METHODS } from '../keys/methods.ts'
import type { MistakeCode } from './mistakes.ts'
import type { Hash } from '../crypto/runtime.ts'

/** What the keys of a login show about a signature. */
export interface Evidence {
  /** Whether one of the keys made the signature of a base string, by the right method. */
  isOf(baseString: string): Promise<boolean>
  /** Names the mistake with the key or the method, if the signature is of this base string apart from it. */
  mistakeOf(baseString: string): Promise<MistakeCode | undefined>
  /** Names a common mistake with the key, if it and this wrong base string together lead to the signature. */
  secondMistakeOf?(baseString: string): Promise<MistakeCode | undefined>
  /** The mistake if no other is found, because the signature itself shows it. */
  readonly otherwise?: MistakeCode
}

type HmacKey = string | Uint8Array

const UTF8 = new TextEncoder()

/**
 * The keys with which a caller signs by mistake. Each way uses the complete control key or nothing of it: a key of the
 * first characters alone would let a stranger guess the control key piece by piece.
 */
const KEY_WAYS: readonly (readonly [
  code: MistakeCode,
  keys: (controlKey: string, login: string) => readonly HmacKey[],
])[] = [
  ['key-without-ampersand', (key) => [key, percentEncode(key)]],
  [
    'key-with-line-end',
    (key) => [`${key}\n&`, `${key}\r\n&`, `${key}&\n`, `${key}%0A&`, `${key}\n`],
  ],
  ['key-with-space', (key) => [` ${key}&`, `${key} &`, ` ${key} &`, `${key}& `, `${key}%20&`]],
  ['key-in-quotes', (key) => [`"${key}"&`, `'${key}'&`, `%22${key}%22&`, `%27${key}%27&`]],
  ['key-case', (key) => [`${key.toLowerCase()}&`, `${key.toUpperCase()}&`]],
  [
    'key-decoded',
    (key) => [bytesOfHex(key.replaceAll('-', '')), decodeBase64(key)].flatMap(withAmpersand),
  ],
  [
    'key-encoded-as-base64',
    (key) => {
      const base64 = encodeBase64(UTF8.encode(key))
      return [`${base64}&`, `${percentEncode(base64)}&`, `${hexOf(UTF8.encode(key))}&`]
    },
  ],
  [
    'key-encoded-twice',
    (key) => [`${percentEncode(percentEncode(key))}&`, `${percentEncode(key)}%26`],
  ],
  // HMAC fills a key with zeros, and WebCrypto refuses an empty one.
  ['key-empty', () => ['&', '\0', 'undefined&', 'null&', 'None&']],
  ['key-login', (key, login) => [`${login}&`, login, `${login}&${key}`, `${key}&${login}`]],
  ['key-repeated', (key) => [`${key}&${key}`, `&${key}`]],
]

/** The mistakes with the key that often come together with another: the first way of each. */
const SECOND_WAYS = KEY_WAYS.slice(0, 2)

/** The codes that a caller computes by mistake. The key is the control key with its `&`. */
const FUNCTION_WAYS: readonly (readonly [
  code: MistakeCode,
  compute: (baseString: string, key: string) => Promise<readonly Uint8Array[]>,
])[] = [
  ['hmac-swapped', async (baseString, key) => [await mac(baseString, key)]],
  [
    'sha1-without-hmac',
    async (text, key) => {
      const bare = key.slice(0, -1)
      const texts = [text, text + key, key + text, text + bare, bare + text, `${text}&${bare}`]
      return await Promise.all(texts.map(async (one) => runtime.hash('SHA-1', UTF8.encode(one))))
    },
  ],
  [
    'hmac-of-hash',
    async (baseString, key) => {
      const bytes = UTF8.encode(baseString)
      const digests = [await runtime.hash('SHA-1', bytes), await runtime.hash('SHA-256', bytes)]
      const texts = digests.flatMap((digest) => [hexOf(digest), encodeBase64(digest)])
      return await Promise.all(texts.map((text) => mac(key, text)))
    },
  ],
]

/** Looks at a signature of HMAC-SHA1 with the control keys of a login. */
export function hmacEvidence(
  keys: readonly VerificationKey[],
  signature: Uint8Array,
  login: string,
): Evidence {
  const isSignature = (code: Uint8Array) => runtime.equalInConstantTime(code, signature)
  const controlKeys = keys.filter((key) => key.kind === 'control')
  return {
    async isOf(baseString) {
      for (const key of controlKeys) {
        if (await METHODS['HMAC-SHA1'].verify(baseString, signature, key)) return true
      }
      return false
    },

    async mistakeOf(baseString) {
      for (const key of controlKeys.map(controlKeyText)) {
        for (const [code, keysOf] of KEY_WAYS) {
          for (const secret of keysOf(key, login)) {
            if (isSignature(await mac(secret, baseString))) return code
          }
        }
        for (const [code, compute] of FUNCTION_WAYS) {
          const codes = await compute(baseString, `${percentEncode(key)}&`)
          if (codes.some(isSignature)) return code
        }
      }
      return undefined
    },

    async secondMistakeOf(baseString) {
      for (const key of controlKeys.map(controlKeyText)) {
        for (const [code, keysOf] of SECOND_WAYS) {
          const [secret = ''] = keysOf(key, login)
          if (isSignature(await mac(secret, baseString))) return code
        }
      }
      return undefined
    },
  }
}

async function mac(key: HmacKey, text: string): Promise<Uint8Array> {
  return runtime.decodeBase64(await (await runtime.importHmac(key)).mac(text))
}

function withAmpersand(bytes: Uint8Array | undefined): readonly Uint8Array[] {
  return bytes && bytes.length > 0 ? [Uint8Array.of(...bytes, 0x26), bytes] : []
}

/** What stands before the digest in a signature of RSASSA-PKCS1-v1_5: the name of the hash (RFC 8017, 9.2, note 1). */
const SHA_256_NAME = '3031300d060960864801650304020105000420'
/** The object identifier in the name of SHA-256. */
const SHA_256_IDENTIFIER = '0609608648016503040201'
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
    // The name of a hash is a DER sequence of the content's length. A name of SHA-256 may lack its NULL.
    const isNamed = content.startsWith(`30${(content.length / 2 - 2).toString(16)}`)
    const isOther = isNamed && !content.includes(SHA_256_IDENTIFIER)
    return certain(isOther ? 'rsa-other-hash' : 'rsa-without-hash-name')
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
