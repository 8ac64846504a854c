import keysJson from '../vectors/keys.json' with { type: 'json' }
import signingJson from '../vectors/signing.json' with { type: 'json' }
import {
  type BodyHash,
  encodeForm,
  importControlKey,
  importPrivateKey,
  importPublicKey,
  type Parameter,
  type SigningKey,
  type VerificationKey,
} from '../src/index.ts'

/** Keys in every format, including formats that the package refuses. `vectors/README.md` says how they were made. */
export const KEYS = keysJson

/** A request, with the intermediate values on which two independent implementations agree. */
export interface Vector {
  readonly id: string
  readonly request: {
    readonly method: string
    readonly url: string
    readonly contentType: string
    readonly body: string
  }
  readonly consumerKey: string
  readonly nonce: string
  readonly timestampSeconds: number
  readonly bodyHash: BodyHash | undefined
  readonly baseString: string
  readonly signature: string
  readonly authorization: string
  signingKey(): Promise<SigningKey>
  verificationKey(): Promise<VerificationKey>
}

export const VECTORS: readonly Vector[] = signingJson.map((entry) => ({
  id: entry.id,
  request: {
    method: entry.method,
    url: entry.url,
    contentType: entry.content_type,
    body: entry.json_or_raw_body ?? encodeForm(entry.params.map(toParameter)),
  },
  consumerKey: entry.consumer_key,
  nonce: entry.nonce,
  timestampSeconds: Number(entry.timestamp),
  bodyHash: bodyHashOf(entry.oauth_extra),
  baseString: entry.expected_base_string,
  signature: entry.expected_signature,
  authorization: entry.expected_header,
  signingKey: () =>
    entry.private_key_pem
      ? importPrivateKey(entry.private_key_pem)
      : importControlKey(entry.consumer_secret ?? ''),
  verificationKey: () =>
    entry.public_key_pem
      ? importPublicKey(entry.public_key_pem)
      : importControlKey(entry.consumer_secret ?? ''),
}))

/** Returns the vector with an id. */
export function vector(id: string): Vector {
  const match = VECTORS.find((candidate) => candidate.id === id)
  if (!match) throw new Error(`expected a vector named ${id}`)
  return match
}

function toParameter([name = '', value = '']: readonly string[]): Parameter {
  return [name, value]
}

function bodyHashOf(extra: readonly (readonly string[])[]): BodyHash | undefined {
  const value = extra[0]?.[1]
  if (value === undefined) return undefined
  return value.length === 28 ? 'SHA-1' : 'SHA-256'
}
