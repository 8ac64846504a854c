import type { Refused, RequestToVerify } from '@counterfoil/signing'
import { LIMITS } from '@counterfoil/common'

/** A refused request. It may hold card numbers, so it stays in memory. */
export interface KeptRequest {
  readonly requestId: string
  /** When it arrived, in seconds since 1970. */
  readonly atSeconds: number
  /** Missing if the request is too large to be kept. */
  readonly request?: RequestToVerify & {
    /** The host to which the caller sent the request. */
    readonly host?: string | undefined
  }
  readonly refused: Refused
}

/**
 * Keeps the last refused requests of this process in memory, for the operator. Requests that name a login have half of
 * the memory, so that a flood of others pushes none of them out.
 */
export class RefusedRequests {
  readonly #ofLogins = new LastRequests()
  readonly #ofStrangers = new LastRequests()

  /**
   * Keeps a refused request, with a copy of its body.
   * @param isOfLogin whether the gateway has found the login that the request names
   */
  add(request: KeptRequest, isOfLogin: boolean): void {
    const requests = isOfLogin ? this.#ofLogins : this.#ofStrangers
    requests.add(withinLimit(request))
  }

  find(requestId: string): KeptRequest | undefined {
    return this.#ofLogins.find(requestId) ?? this.#ofStrangers.find(requestId)
  }
}

class LastRequests {
  /** The oldest first. */
  readonly #byId = new Map<string, KeptRequest>()
  #bytes = 0

  add(added: KeptRequest): void {
    this.#byId.set(added.requestId, added)
    this.#bytes += bytesOf(added)
    for (const [requestId, oldest] of this.#byId) {
      const isFull = this.#byId.size > LIMITS.refusedRequestsMax / 2
      if (!isFull && this.#bytes <= LIMITS.refusedBytesMax / 2) return
      this.#byId.delete(requestId)
      this.#bytes -= bytesOf(oldest)
    }
  }

  find(requestId: string): KeptRequest | undefined {
    return this.#byId.get(requestId)
  }
}

/** Returns a copy of a request, or only why it was refused if the request is too large. */
function withinLimit(added: KeptRequest): KeptRequest {
  const { requestId, atSeconds, request } = added
  // The base string is the encoded parameter string with method and URL.
  const { parameterString: _, ...refused } = added.refused
  const kept = { requestId, atSeconds, refused }
  if (!request || bytesOf(added) > LIMITS.refusedRequestBytesMax) {
    const { baseString: __, ...others } = refused
    return { ...kept, refused: others }
  }
  return { ...kept, request: { ...request, body: new Uint8Array(request.body) } }
}

/** The bytes of a request, about. */
function bytesOf({ request, refused }: KeptRequest): number {
  const { url = '', authorization, contentType, body } = request ?? {}
  const { baseString, reason, consumerKey } = refused
  const headers = [[authorization ?? []].flat(), contentType ?? []].flat()
  const texts = [String(url), ...headers, baseString ?? '', reason, consumerKey ?? '']
  return texts.reduce((sum, { length }) => sum + length, body?.length ?? 0)
}
