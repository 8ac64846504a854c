/** An event of a request. */
export type RequestEvent = { readonly requestId: string } & RequestStep

/** What happened to a request. No event holds a header, a body, a query or a signature. */
export type RequestStep =
  /** The headers arrived. */
  | {
      readonly kind: 'received'
      readonly method: string
      /** Without the query. */
      readonly path: string
      /** The pattern of the path, if the gateway serves it. */
      readonly route: string | undefined
      /** The trace of the request, from its header `traceparent` (W3C Trace Context). */
      readonly traceId: string | undefined
    }
  /** The gateway accepted the signature, or the cookie or link of a view session, whose id it names. */
  | {
      readonly kind: 'authenticated'
      readonly login: string
      readonly viewSession?: string | undefined
      /** The key that signed the request. */
      readonly keyId?: string | undefined
      readonly fingerprint?: string | undefined
    }
  /** The gateway refused the signature. */
  | {
      readonly kind: 'refused'
      /** The step of verification that failed. */
      readonly step: string
      readonly code: string
      readonly claimedLogin: string | undefined
    }
  /** The request asks for a report that exists. */
  | { readonly kind: 'asked'; readonly report: string; readonly format: string }
  /** The request asks for a form operation. `code` says what is wrong with the form. */
  | {
      readonly kind: 'operated'
      readonly operation: string
      readonly serialNumber?: string
      readonly code?: string
    }
  /** The gateway answers with a problem. `error` holds details that only the log shows. */
  | { readonly kind: 'failed'; readonly code: string; readonly error?: Error }
  /** The first bytes of the report arrived. */
  | { readonly kind: 'started'; readonly firstByteMs: number }
  /** The gateway sent the report, or a part of it before the caller left. Only a complete report has `rows`. */
  | { readonly kind: 'sent'; readonly bytes: number; readonly rows?: number }
  /** The report broke, and the connection was closed. */
  | { readonly kind: 'cut'; readonly error: unknown }
  /** The answer ended, complete or not. */
  | {
      readonly kind: 'ended'
      readonly status: number
      readonly durationMs: number
      /** Whether the complete answer was written. */
      readonly isComplete: boolean
    }

/** Publishes an event of one request. */
export type Publish = (step: RequestStep) => void

/** Passes each event to all subscribers, in the order of their subscriptions. */
export class RequestEvents {
  readonly #subscribers: ((event: RequestEvent) => void)[] = []

  subscribe(subscriber: (event: RequestEvent) => void): void {
    this.#subscribers.push(subscriber)
  }

  publish(event: RequestEvent): void {
    for (const subscriber of this.#subscribers) subscriber(event)
  }
}
