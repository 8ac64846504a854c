import { setImmediate } from 'node:timers/promises'
import { diagnose, type Diagnosis, type Refused, type VerificationKey } from '@counterfoil/signing'
import type { ReceivedRequest } from '../outcome.ts'
import type { DiagnosisShare } from './diagnosis-share.ts'

/** A refusal, and the mistake that led to it. */
export interface Explanation {
  readonly refused: Refused
  /** Undefined if the gateway left the diagnosis out, because it diagnosed many requests. */
  readonly diagnosis: Diagnosis | undefined
}

/** A refused request, and what the gateway knows of it. */
export interface RefusedRequest {
  readonly request: Omit<ReceivedRequest, 'publish'>
  /** The URL that the caller should have signed. */
  readonly url: string
  readonly refused: Refused
  /** The active keys of the login; none if it is unknown. */
  readonly keys: readonly VerificationKey[]
  readonly nowSeconds: number
}

/**
 * Names the mistake of a refused request. A wrong signature takes a part of the share: the gateway then tries the
 * mistakes of callers. Any other refusal names its mistake at once.
 */
export async function explainRefusal(
  { request, url, refused, keys, nowSeconds }: RefusedRequest,
  share: DiagnosisShare,
): Promise<Explanation> {
  const { method, authorization, contentType, body, host } = request
  const options = {
    keys,
    refused,
    receivedAtSeconds: nowSeconds,
    ...(host !== undefined && { host }),
    pause: () => setImmediate(),
  }
  const examine = () => diagnose({ method, url, authorization, contentType, body }, options)
  const isCostly = refused.code === 'signature-mismatch'
  return { refused, diagnosis: await (isCostly ? share.run(examine) : examine()) }
}
