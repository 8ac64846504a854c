/** When to stop waiting for the gateway. */
export interface WaitOptions {
  /** The longest time without a byte from the gateway. The reader's own pauses do not count. */
  readonly idleTimeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** A POST, or a GET without a body, that is ready to be sent. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer whose head has arrived. */
export interface Answer {
  readonly status: number
  /** Returns a header by its name, in any case. */
  readonly header: (name: string) => string | undefined
  /**
   * Yields the bytes as they arrive; can be read once. Throws `Truncated` if the connection breaks, `TimedOut` if the
   * gateway sends nothing for too long, or the signal's reason.
   */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Returns a trailer after the last chunk. Absent if the transport does not show trailers. */
  readonly trailer?: (name: string) => string | undefined
  /** Whether the chunks are decoded, so that they are not the bytes that the gateway sent. */
  readonly isDecoded: boolean
  /** Closes the connection. */
  readonly cancel: () => void
}

/**
 * Sends a request on a connection of its own, and returns the head of the answer, whatever its status. It follows no
 * redirect. Throws `NetworkError`, `TimedOut`, or the signal's reason.
 */
export type Transport = (request: HttpRequest, waitOptions: WaitOptions) => Promise<Answer>
