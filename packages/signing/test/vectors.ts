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

/** Keys in every format, those that are refused among them; `vectors/README.md` says how they were made. */
export const KEYS = keysJson

/** A request with everything that two independent implementations made of it. */
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

export const VECTORS: readonly Vector[] = signingJson.map((vector) => ({
  id: vector.id,
  request: {
    method: vector.method,
    url: vector.url,
    contentType: vector.content_type,
    body: vector.json_or_raw_body ?? encodeForm(vector.params.map(toParameter)),
  },
  consumerKey: vector.consumer_key,
  nonce: vector.nonce,
  timestampSeconds: Number(vector.timestamp),
  bodyHash: bodyHashOf(vector.oauth_extra),
  baseString: vector.expected_base_string,
  signature: vector.expected_signature,
  authorization: vector.expected_header,
  signingKey: () =>
    vector.private_key_pem
      ? importPrivateKey(vector.private_key_pem)
      : importControlKey(vector.consumer_secret ?? ''),
  verificationKey: () =>
    vector.public_key_pem
      ? importPublicKey(vector.public_key_pem)
      : importControlKey(vector.consumer_secret ?? ''),
}))

/** The vector of one name. */
export function vector(id: string): Vector {
  const found = VECTORS.find((candidate) => candidate.id === id)
  if (!found) throw new Error(`expected a vector named ${id}`)
  return found
}

function toParameter([name = '', value = '']: readonly string[]): Parameter {
  return [name, value]
}

function bodyHashOf(extra: readonly (readonly string[])[]): BodyHash | undefined {
  const value = extra[0]?.[1]
  if (value === undefined) return undefined
  return value.length === 28 ? 'SHA-1' : 'SHA-256'
}
