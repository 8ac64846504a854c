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

interface Kept extends KeptRequest {
  readonly number: number
  readonly bytes: number
}

/** The requests of a share, the oldest first. */
interface Share {
  readonly requests: Kept[]
  bytes: number
}

/** A request that has no share yet, and whether its login exists. */
interface Waiting {
  readonly added: KeptRequest
  readonly isOfLogin: boolean
}

/** How long a request waits for its share, and how many wait. */
const WAITING_MS = 100
const WAITING_MAX = 32

/** The share of the requests whose login is not known. A login has a name, so no login has this share. */
const STRANGERS = ''

/**
 * Keeps the last refused requests of this process in memory, for the operator. Each known login has a share, and all
 * other requests have one together. If there are too many, the largest share loses its oldest request. So a flood
 * under one name pushes out requests of larger shares, until its own share is the largest.
 *
 * A login is known once this process has found it in the store: a request that is refused before is of a stranger.
 *
 * A request gets its share a little later, with others. Otherwise the time of an answer, or of the next one, would tell
 * whether its login is known.
 */
export class RefusedRequests {
  readonly #shares = new Map<string, Share>()
  readonly #byId = new Map<string, Kept>()
  readonly #logins = new Set<string>()
  #waiting: Waiting[] = []
  #number = 0
  #bytes = 0

  /** Notes that a login exists. */
  know(login: string): void {
    this.#logins.add(login)
  }

  /**
   * Keeps a refused request, with a copy of its body.
   * @param isOfLogin whether the login that the request names exists
   */
  add(request: KeptRequest, isOfLogin: boolean): void {
    if (this.#waiting.length === 0) setTimeout(() => this.#share(), WAITING_MS).unref()
    this.#waiting.push({ added: withinLimit(request), isOfLogin })
    if (this.#waiting.length > WAITING_MAX) this.#share()
  }

  /** Finds a request, also one that has no share yet. */
  find(requestId: string): KeptRequest | undefined {
    const waiting = this.#waiting.find(({ added }) => added.requestId === requestId)
    return waiting?.added ?? this.#byId.get(requestId)
  }

  /** Gives the waiting requests their shares. */
  #share(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { added, isOfLogin } of waiting) {
      const { consumerKey = '' } = added.refused
      if (isOfLogin) this.know(consumerKey)
      this.#keep(added, this.#logins.has(consumerKey) ? consumerKey : STRANGERS)
    }
  }

  #keep(added: KeptRequest, name: string): void {
    const share = this.#shares.get(name) ?? { requests: [], bytes: 0 }
    this.#shares.set(name, share)
    this.#number += 1
    const kept: Kept = { ...added, number: this.#number, bytes: bytesOf(added) }
    share.requests.push(kept)
    share.bytes += kept.bytes
    this.#bytes += kept.bytes
    this.#byId.set(kept.requestId, kept)
    while (this.#byId.size > LIMITS.refusedRequestsMax)
      this.#drop(({ requests }) => requests.length)
    while (this.#bytes > LIMITS.refusedBytesMax) this.#drop(({ bytes }) => bytes)
  }

  /** Drops the oldest request of the largest share. Of equal shares, the one with the older request loses it. */
  #drop(sizeOf: (share: Share) => number): void {
    let largest: readonly [string, Share] | undefined
    for (const entry of this.#shares) {
      const more = largest ? sizeOf(entry[1]) - sizeOf(largest[1]) : 1
      if (more > 0 || (more === 0 && oldestOf(entry[1]) < oldestOf(largest?.[1]))) largest = entry
    }
    if (!largest) return
    const [name, share] = largest
    const dropped = share.requests.shift()
    if (share.requests.length === 0) this.#shares.delete(name)
    if (!dropped) return
    share.bytes -= dropped.bytes
    this.#bytes -= dropped.bytes
    this.#byId.delete(dropped.requestId)
  }
}

function oldestOf(share: Share | undefined): number {
  return share?.requests[0]?.number ?? 0
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
  const texts = [
    String(url),
    ...[authorization ?? []].flat(),
    contentType,
    baseString,
    reason,
    consumerKey,
  ]
  const lengths = texts.map((text) => text?.length ?? 0)
  return lengths.reduce((sum, length) => sum + length, body?.length ?? 0)
}
