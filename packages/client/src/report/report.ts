import { createError } from '../errors/counterfoil-error.ts'

/** What the head of a report says. */
export interface ReportHead {
  /** The id of the run, by which the gateway's operator finds it. Undefined if the gateway gives none. */
  readonly runId: string | undefined
  /** The file name that the gateway suggests, made safe: a base name. */
  readonly fileName: string
  /** For example `text/csv; charset=UTF-8`. Empty if the gateway gives none. */
  readonly contentType: string
  /**
   * When the newest row that the login may see was created: an instant in UTC, or a day for reports on statements.
   * `none` if the login sees no row, and undefined if the gateway does not say.
   */
  readonly newestRow: string | undefined
}

/**
 * How the client knows that a report is complete:
 *
 * - `trailers`: the digest and the row count in the trailers agree with the bytes
 * - `manifest`: the digest and the row count in the manifest of the run agree with the bytes
 * - `rows`: the runtime decompressed the report, so only the row count in the manifest could be compared
 * - `none`: the gateway proves nothing, or the runtime decompressed a file that is not CSV; the connection ended as it
 *   should
 */
export type Proof = 'trailers' | 'manifest' | 'rows' | 'none'

/** The size, the digest and the proof of a report. */
export interface ReportOutcome {
  /** Data rows, without the header row. Undefined if the gateway does not say, and the report is not CSV. */
  readonly rows: number | undefined
  readonly bytes: number
  /** Characters that the gateway wrote as `?`, because the report's encoding lacks them. */
  readonly replaced: number
  /** The SHA-256 of the bytes in hex, as `sha256sum` prints it. */
  readonly sha256: string
  readonly proof: Proof
}

/** A report that has begun to arrive, for the client itself. */
export interface OpenReport {
  readonly head: ReportHead
  /** Yields the bytes, and returns only if nothing shows that they are incomplete. */
  readonly chunks: AsyncGenerator<Uint8Array, ReportOutcome, void>
  /** The data rows that have arrived. Undefined if the report is not CSV. */
  readonly rowsSoFar?: () => number | undefined
  /** Closes the connection. */
  readonly cancel: () => void
}

/** A report that has begun to arrive. */
export interface Report extends ReportHead {
  /**
   * The bytes of the report. The stream ends only if nothing shows that they are incomplete. Otherwise it fails with a
   * `CounterfoilError`, possibly after you have read a part of the report. Cancel the stream to stop early.
   */
  readonly body: ReadableStream<Uint8Array>
  /** Resolves when you have read the body to its end. Rejects with the body's error. */
  readonly completed: Promise<ReportOutcome>
}

/** The path of the file, or a directory. In a directory, the file gets the name that the gateway suggests. */
export type DownloadTarget = string | { readonly directory: string }

/** Options of `download`. */
export interface DownloadOptions {
  readonly signal?: AbortSignal | undefined
  /**
   * Called with the bytes received so far, and with the data rows if the report is CSV. A new attempt begins at 0.
   */
  readonly onProgress?: ((bytes: number, rows: number | undefined) => void) | undefined
  /** Replaces an existing file or symbolic link. It replaces nothing else, such as a device. */
  readonly overwrite?: boolean
}

/** A complete report and its file. */
export interface Download extends ReportOutcome, Omit<ReportHead, 'fileName'> {
  readonly file: string
}

/** Returns a report as a stream and the promise of its outcome. */
export function streamReport({ head, chunks, cancel }: OpenReport): Report {
  const { promise, resolve, reject } = Promise.withResolvers<ReportOutcome>()
  // A caller that only reads the body gets the error there.
  promise.catch(() => {})
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await chunks.next()
          if (!next.done) return controller.enqueue(next.value)
          resolve(next.value)
          controller.close()
        } catch (error) {
          reject(error)
          controller.error(error)
        }
      },
      cancel() {
        // At once: the generator would wait for the next chunk, which a silent gateway never sends.
        cancel()
        const message = 'the reader left before the report was complete'
        const { runId: requestId } = head
        reject(createError('truncated', message, { reason: 'cancelled' }, { requestId }))
      },
    },
    { highWaterMark: 0 },
  )
  return { ...head, body, completed: promise }
}
