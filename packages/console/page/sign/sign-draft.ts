import {
  type BodyHash,
  encodeForm,
  type Parameter,
  percentEncode,
  sign,
  signingSteps,
} from '@counterfoil/signing'
import { importTypedKey, type TypedKey } from '../controls/typed-key.ts'

export const BODY_KINDS = [
  ['none', 'None'],
  ['form', 'Form fields'],
  ['json', 'JSON'],
  ['raw', 'Other text'],
] as const

export const HASHES = ['', 'SHA-1', 'SHA-256'] as const

export interface Draft {
  readonly method: string
  readonly url: string
  readonly bodyKind: (typeof BODY_KINDS)[number][0]
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

export interface PlainRequest {
  readonly method: string
  readonly url: string
  readonly contentType: string | undefined
  readonly body: string | undefined
}

export type SignedDraft = Awaited<ReturnType<typeof signDraft>>

/** Signs a draft. Throws a `SigningError` that says what is wrong with the draft or the key. */
export async function signDraft(signing: Draft, typedKey: TypedKey) {
  const { login, nonce, timestamp, realm, bodyKind, bodyHash } = signing
  const request = requestOf(signing)
  const { method, url, contentType, body } = request
  const key = await importTypedKey(typedKey)
  const plain = { method, url, ...(contentType !== undefined && { contentType }) }
  const signed = await sign(
    { ...plain, ...(body !== undefined && { body }) },
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
