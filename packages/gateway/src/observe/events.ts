/** What happens to a request, in the order in which it happens; `requestId` tells requests apart. */
export type RequestEvent = { readonly requestId: string } & RequestStep

/** A step on a request's way. There is no place here for a header, a body, a query or a signature. */
export type RequestStep =
  /** Its head arrived. */
  | {
      readonly kind: 'received'
      readonly method: string
      /** Without the query. */
      readonly path: string
    }
  /** Its signature is accepted. */
  | { readonly kind: 'authenticated'; readonly login: string }
  /** Its signature is refused. */
  | {
      readonly kind: 'refused'
      /** The step of verification that failed. */
      readonly step: string
      readonly code: string
      readonly claimedLogin: string | undefined
    }
  /** It asks for a report that there is. */
  | { readonly kind: 'asked'; readonly report: string }
  /** It asks for a form operation; `code` tells what is wrong with the form. */
  | {
      readonly kind: 'operated'
      readonly operation: string
      readonly serialNumber?: string
      readonly code?: string
    }
  /** It cannot be answered. `error` is there where more is known than the caller is told. */
  | { readonly kind: 'failed'; readonly code: string; readonly error?: Error }
  /** The first bytes of its report are there. */
  | { readonly kind: 'started'; readonly firstByteMs: number }
  /** Its report was sent, whole or up to where the caller left; `rows` are those of a whole one. */
  | { readonly kind: 'sent'; readonly bytes: number; readonly rows?: number }
  /** Its report broke on the way. */
  | { readonly kind: 'cut'; readonly error: unknown }
  /** Its answer is over, however that came. */
  | {
      readonly kind: 'ended'
      readonly status: number
      readonly durationMs: number
      /** Whether the whole answer was written. */
      readonly isComplete: boolean
    }

/** Publishes a step of one request. */
export type Publish = (step: RequestStep) => void

/** Tells each subscriber of each event, in order. */
export class RequestEvents {
  readonly #subscribers: ((event: RequestEvent) => void)[] = []

  subscribe(subscriber: (event: RequestEvent) => void): void {
    this.#subscribers.push(subscriber)
  }

  publish(event: RequestEvent): void {
    for (const subscriber of this.#subscribers) subscriber(event)
  }
}
