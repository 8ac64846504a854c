import { sign, type Signed, type SigningStep, signingSteps } from '@counterfoil/signing'
import type { Draft } from './draft.ts'
import { type PlainRequest, requestOf } from './request-of.ts'
import { importTypedKey, secretOf, type TypedKey } from './typed-key.ts'

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
export async function signDraft(draft: Draft, typedKey: TypedKey): Promise<SignedDraft> {
  const { login, nonce, timestamp, realm, bodyKind, bodyHash } = draft
  const plain = requestOf(draft)
  const { method, url, contentType, body } = plain
  const key = await importTypedKey(typedKey)
  const request = {
    method,
    url,
    ...(contentType !== undefined && { contentType }),
    ...(body !== undefined && { body }),
  }
  const options = {
    nonce,
    timestampSeconds: Number(timestamp),
    ...(realm !== '' && { realm }),
    ...(bodyHash !== '' && bodyKind !== 'form' && { bodyHash }),
  }
  const signed = await sign(request, { consumerKey: login, key }, options)
  const controlKeyLength = key.kind === 'control' ? secretOf(typedKey).length - 1 : 0
  return {
    request: plain,
    signed,
    steps: signingSteps({ method, url, key, controlKeyLength, signed }),
  }
}
