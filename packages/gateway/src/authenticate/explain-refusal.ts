import { setImmediate } from 'node:timers/promises'
import { diagnose, type Diagnosis, type Refused, type VerificationKey } from '@counterfoil/signing'
import type { ReceivedRequest } from '../outcome/outcome.ts'
import { type FairQueue, type Leave, STRANGERS } from '@counterfoil/common'

/** A refusal, and the mistake that led to it. */
export interface Explanation {
  readonly refused: Refused
  /** Undefined if the gateway left the diagnosis out, because many wait for one. */
  readonly diagnosis: Diagnosis | undefined
}

/** A refused request, and what the gateway knows of it. */
export interface RefusedRequest {
  readonly request: Omit<ReceivedRequest, 'note'>
  /** The URL that the caller should have signed. */
  readonly url: string
  readonly refused: Refused
  /** The active keys of the login; none if it is unknown. */
  readonly keys: readonly VerificationKey[]
  readonly nowSeconds: number
}

/**
 * Names the mistake of a refused request. A wrong signature waits in the queue, because the gateway tries all mistakes
 * of callers. Any other refusal names its mistake at once.
 */
export async function explainRefusal(
  { request, url, refused, keys, nowSeconds }: RefusedRequest,
  queue: FairQueue,
): Promise<Explanation> {
  const { method, authorization, contentType, body, host } = request
  const options = {
    keys,
    refused,
    receivedAtSeconds: nowSeconds,
    ...(host !== undefined && { host }),
    pause: () => setImmediate(),
  }
  const isCostly = refused.code === 'signature-mismatch'
  let leave: Leave | undefined
  try {
    if (isCostly) leave = await queue.enter(STRANGERS)
  } catch {
    return { refused, diagnosis: undefined }
  }
  try {
    const received = { method, url, authorization, contentType, body }
    return { refused, diagnosis: await diagnose(received, options) }
  } finally {
    leave?.()
  }
}
