import type { BodyHash, Parameter } from '@counterfoil/signing'

export const BODY_KINDS = ['none', 'form', 'json', 'raw'] as const

export type BodyKind = (typeof BODY_KINDS)[number]

/** A request to sign, as a person edits it. */
export interface Draft {
  readonly method: string
  readonly url: string
  readonly bodyKind: BodyKind
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
