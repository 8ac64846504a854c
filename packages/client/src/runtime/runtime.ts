import { HEADERS } from '@counterfoil/protocol'
import { CounterfoilError, createError } from '../errors/counterfoil-error.ts'
import type { Download, DownloadOptions, DownloadTarget, OpenReport } from '../report/report.ts'

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
   * Yields the bytes as they arrive; can be read once. Throws `truncated` if the connection breaks, `timed-out` if the
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

/** Returns the id by which the gateway's operator finds the request. It is also the id of the run. */
export function requestIdOf({ header }: Pick<Answer, 'header'>): string | undefined {
  return header(HEADERS.requestId)
}

/**
 * Sends a request on a connection of its own, and returns the head of the answer, whatever its status. It follows no
 * redirect. Throws `network-error`, `timed-out`, or the signal's reason.
 */
export type Transport = (request: HttpRequest, waitOptions: WaitOptions) => Promise<Answer>

/** Everything that differs between runtimes. `node.ts` serves Node, Bun and Deno, `web.ts` browsers and others. */
export interface Runtime {
  /** @param ca Certificates to trust instead of the system's, as PEM. */
  createTransport(ca: string | undefined): Transport
  /** Hashes bytes that arrive in pieces. */
  createSha256(): { update(bytes: Uint8Array): void; hex(): string }
  /** Saves a report in a file. Throws `file-error` where there is no file system. */
  saveReport(
    open: () => Promise<OpenReport>,
    target: DownloadTarget,
    options: DownloadOptions,
  ): Promise<Download>
}

/** A connection, as far as waiting for it needs it. */
interface Connection {
  /** The id of the request. Undefined before the head of the answer. */
  readonly requestId?: string | undefined
  /** Whether the connection failed before the client sent anything; by default not. */
  readonly nothingSent?: () => boolean
  /** Ends the connection, so that what reads from it fails with the error. */
  readonly stop: (error: CounterfoilError) => void
}

/** Stops a connection if nobody calls the returned function in time. */
export function startTimer(
  { requestId, nothingSent = () => false, stop }: Connection,
  { idleTimeoutMs }: WaitOptions,
): () => void {
  const silent = () => {
    const message = `the gateway sent nothing for ${idleTimeoutMs / 1000} s`
    const fields = { idleTimeoutMs, nothingSent: nothingSent() }
    stop(createError('timed-out', message, fields, { requestId }))
  }
  const timer = setTimeout(silent, idleTimeoutMs)
  return () => clearTimeout(timer)
}

/** Passes on the chunks of an answer. Throws as `Answer.chunks` does. */
export async function* receive(
  source: AsyncIterable<Uint8Array>,
  connection: Connection,
  waitOptions: WaitOptions,
): AsyncGenerator<Uint8Array, void> {
  let stopTimer = startTimer(connection, waitOptions)
  let bytes = 0
  try {
    for await (const chunk of source) {
      stopTimer()
      bytes += chunk.length
      yield chunk
      stopTimer = startTimer(connection, waitOptions)
    }
  } catch (cause) {
    waitOptions.signal?.throwIfAborted()
    if (cause instanceof CounterfoilError) throw cause
    const { requestId } = connection
    const amount = bytes < 100_000 ? `${bytes} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`
    const message = `the connection was cut after ${amount}, before the answer was complete`
    throw createError('truncated', message, { reason: 'cut' }, { requestId, cause })
  } finally {
    stopTimer()
  }
}
