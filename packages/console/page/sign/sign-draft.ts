import {
  type BodyHash,
  encodeForm,
  type Parameter,
  percentEncode,
  sign,
  type Signed,
  type SigningStep,
  signingSteps,
} from '@counterfoil/signing'
import { importTypedKey, type TypedKey } from '../controls/typed-key.ts'

/** What a body may be, and what people read. */
export const BODY_KINDS = [
  ['none', 'None'],
  ['form', 'Form fields'],
  ['json', 'JSON'],
  ['raw', 'Other text'],
] as const

/** The hashes of a body that a signature may cover. */
export const HASHES = ['', 'SHA-1', 'SHA-256'] as const

/** A request to sign, as a person edits it. */
export interface Draft {
  readonly method: string
  readonly url: string
  readonly bodyKind: (typeof BODY_KINDS)[number][0]
  /** The fields of a form. */
  readonly fields: readonly Parameter[]
  /** JSON or another text. */
  readonly text: string
  /** Of another text than a form or JSON. */
  readonly contentType: string
  readonly login: string
  readonly nonce: string
  /** Seconds since 1970, as typed. */
  readonly timestamp: string
  readonly realm: string
  readonly bodyHash: BodyHash | ''
}

/** A request, as `fetch` sends it. */
export interface PlainRequest {
  readonly method: string
  readonly url: string
  readonly contentType: string | undefined
  readonly body: string | undefined
}

/** A signed draft, and how it was signed. */
export interface SignedDraft {
  readonly request: PlainRequest
  readonly signed: Signed
  readonly steps: readonly SigningStep[]
}

/**
 * Signs a draft.
 *
 * @throws {SigningError} saying what is wrong with the draft or the key
 */
export async function signDraft(signing: Draft, typedKey: TypedKey): Promise<SignedDraft> {
  const { login, nonce, timestamp, realm, bodyKind, bodyHash } = signing
  const request = requestOf(signing)
  const { method, url, contentType, body } = request
  const key = await importTypedKey(typedKey)
  const signed = await sign(
    {
      method,
      url,
      ...(contentType !== undefined && { contentType }),
      ...(body !== undefined && { body }),
    },
    { consumerKey: login, key },
    {
      nonce,
      timestampSeconds: Number(timestamp),
      ...(realm !== '' && { realm }),
      ...(bodyHash !== '' && bodyKind !== 'form' && { bodyHash }),
    },
  )
  const controlKeyLength = key.kind === 'control' ? percentEncode(typedKey.text.trim()).length : 0
  const steps = signingSteps({ method, url, key, controlKeyLength, signed })
  return { request, signed, steps }
}

/** Returns the request that a draft describes. Empty fields of a form count as none. */
function requestOf({ method, url, bodyKind, ...draftBody }: Draft): PlainRequest {
  const { contentType, text } = draftBody
  const fields = draftBody.fields.filter((field) => field.some((one) => one !== ''))
  const bodies = {
    none: { contentType: undefined, body: undefined },
    form: { contentType: 'application/x-www-form-urlencoded', body: encodeForm(fields) },
    json: { contentType: 'application/json', body: text },
    raw: { contentType, body: text },
  }
  return { method, url, ...bodies[bodyKind] }
}
