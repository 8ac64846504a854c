import { encodeForm } from '@counterfoil/signing'
import type { Draft } from './draft.ts'

/** A request, as `fetch` sends it. */
export interface PlainRequest {
  readonly method: string
  readonly url: string
  readonly contentType: string | undefined
  readonly body: string | undefined
}

const CONTENT_TYPES = {
  none: undefined,
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
}

/** Returns the request that a draft describes. Empty fields of a form count as none. */
export function requestOf({ method, url, bodyKind, ...draft }: Draft): PlainRequest {
  const contentType = bodyKind === 'raw' ? draft.contentType : CONTENT_TYPES[bodyKind]
  if (bodyKind === 'none') return { method, url, contentType, body: undefined }
  const fields = draft.fields.filter((field) => field.some((text) => text !== ''))
  const body = bodyKind === 'form' ? encodeForm(fields) : draft.text
  return { method, url, contentType, body }
}
