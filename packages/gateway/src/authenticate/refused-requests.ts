import { setImmediate } from 'node:timers/promises'
import {
  type Diagnosis,
  diagnose,
  type Refused,
  type RequestToVerify,
  type VerificationKey,
} from '@counterfoil/signing'
import { LIMITS } from '@counterfoil/common'

/** A refused request. It may hold card numbers, so it stays in memory. */
export interface KeptRequest {
  readonly requestId: string
  /** When it arrived, in seconds since 1970. */
  readonly atSeconds: number
  /** Missing if the request is too large to be kept. */
  readonly request?: RequestToVerify & {
    readonly host?: string | undefined
  }
  readonly refused: Refused
}

/**
 * Keeps the last refused requests of this process in memory, for the operator. Requests that name a login have half of
 * the room, so that a flood of others pushes none of them out.
 */
export class RefusedRequests {
  readonly #ofLogins = new Map<string, KeptRequest>()
  readonly #ofStrangers = new Map<string, KeptRequest>()

  /** Keeps a copy. `isOfLogin` says whether the gateway has found the login that the request names. */
  add(request: KeptRequest, isOfLogin: boolean): void {
    const kept = isOfLogin ? this.#ofLogins : this.#ofStrangers
    kept.set(request.requestId, withinLimit(request))
    const [oldest = ''] = kept.keys()
    if (kept.size > LIMITS.refusedRequestsMax / 2) kept.delete(oldest)
  }

  find(requestId: string): KeptRequest | undefined {
    return this.#ofLogins.get(requestId) ?? this.#ofStrangers.get(requestId)
  }
}

/** Returns a copy of a request, or only why it was refused if the request is too large. */
function withinLimit({ requestId, atSeconds, request, refused }: KeptRequest): KeptRequest {
  // The base string is the encoded parameter string with method and URL.
  const { parameterString: _, baseString, ...others } = refused
  const { url = '', authorization, contentType, body } = request ?? {}
  const headers = [[authorization ?? []].flat(), contentType ?? []].flat()
  const texts = [String(url), ...headers, baseString ?? '', refused.reason]
  const length = texts.reduce((sum, text) => sum + text.length, body?.length ?? 0)
  const kept = { requestId, atSeconds, refused: others }
  if (!request || length > LIMITS.refusedRequestBytesMax) return kept
  return {
    ...kept,
    refused: { ...others, ...(baseString !== undefined && { baseString }) },
    request: { ...request, body: new Uint8Array(request.body) },
  }
}

/** Looks for the mistake in a refused request, with the keys of its login. */
export async function diagnoseRefused(
  { atSeconds, request, refused }: KeptRequest,
  keys: readonly VerificationKey[],
  baseString?: string,
): Promise<Diagnosis> {
  if (!request) return { outcome: 'too-large' }
  return await diagnose(request, {
    keys,
    refused,
    receivedAtSeconds: atSeconds,
    pause: () => setImmediate(),
    ...(request.host !== undefined && { host: request.host }),
    ...(baseString !== undefined && { baseString }),
  })
}
