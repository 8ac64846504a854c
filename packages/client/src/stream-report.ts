import { Truncated } from './counterfoil-error.ts'
import type { OpenReport, ReportHead } from './open-report.ts'
import type { Completeness } from './verify-body.ts'

/** A report that has begun to arrive. */
export interface Report extends ReportHead {
  /**
   * The bytes of the report. The stream ends only if the report is complete. Otherwise it fails with a
   * {@link CounterfoilError}, possibly after you have read a part of the report. Cancel the stream to stop early.
   */
  readonly body: ReadableStream<Uint8Array>
  /** Resolves when you have read the body to its end and it is complete. Rejects with the body's error. */
  readonly completed: Promise<Completeness>
}

/** Returns a report as a stream and the promise of its outcome. */
export function streamReport({ head, chunks, cancel }: OpenReport): Report {
  const { promise, resolve, reject } = Promise.withResolvers<Completeness>()
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
        reject(new Truncated(message, 'cancelled', { requestId: head.runId }))
      },
    },
    { highWaterMark: 0 },
  )
  return { ...head, body, completed: promise }
}
