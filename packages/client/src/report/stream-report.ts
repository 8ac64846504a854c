import { Truncated } from '../errors/counterfoil-error.ts'
import type { OpenReport, Report, ReportOutcome } from './report.ts'

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
        reject(new Truncated(message, 'cancelled', { requestId: head.runId }))
      },
    },
    { highWaterMark: 0 },
  )
  return { ...head, body, completed: promise }
}
