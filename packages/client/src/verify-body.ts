import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { HEADERS, parseReprDigest } from '@counterfoil/protocol'
import { type WaitOptions, receive, requestIdOf } from './exchange.ts'
import { ReportError } from './report-error.ts'
import { type CountedCsv, createRowCounter } from './row-counter.ts'

/** The size and the digest of a complete report. */
export interface Completeness {
  /** Data rows, without the header row. */
  readonly rows: number
  readonly bytes: number
  /** Characters that the gateway wrote as `?`, because the report's encoding lacks them. */
  readonly replaced: number
  /** The SHA-256 of the bytes in hex, as `sha256sum` prints it. */
  readonly sha256: string
}

/** A body that ends only if it is complete. */
export interface VerifiedBody {
  readonly body: Readable
  /** Resolves when the body was read to its end and is complete. Rejects with the body's error. */
  readonly completed: Promise<Completeness>
}

/**
 * Passes the body of an answer on, and checks it against the trailers at its end: the digest (RFC 9530) and the number
 * of rows, which it counts if the body is CSV. If the check fails, the body fails instead of ending: with `incomplete`
 * (cut short, or a trailer is missing or malformed), `digest-mismatch` or `rows-mismatch`.
 */
export function verifyBody(
  answer: IncomingMessage,
  csv: CountedCsv | undefined,
  waitOptions: WaitOptions,
): VerifiedBody {
  const { promise, resolve, reject } = Promise.withResolvers<Completeness>()
  const verified = async function* (): AsyncGenerator<Buffer, void> {
    const hash = createHash('sha256')
    const counter = csv && createRowCounter(csv)
    let bytes = 0
    for await (const chunk of receive(answer, waitOptions)) {
      hash.update(chunk)
      counter?.push(chunk)
      bytes += chunk.length
      yield chunk
    }
    resolve({ bytes, ...checkTrailers(answer, hash.digest(), counter?.rows()) })
  }
  const chunks = verified()
  const body = new Readable({
    read() {
      const push = ({ done, value }: IteratorResult<Buffer, void>) => body.push(done ? null : value)
      chunks.next().then(push, (error: Error) => body.destroy(error))
    },
    destroy(error, done) {
      // At once: `Readable.from` would wait for the next chunk, which a silent gateway never sends.
      answer.destroy()
      done(error)
    },
  })
  finished(body).catch(reject)
  // A caller that only reads the body gets the error there.
  promise.catch(() => {})
  return { body, completed: promise }
}

function checkTrailers(
  answer: IncomingMessage,
  digest: Buffer,
  counted: number | undefined,
): Omit<Completeness, 'bytes'> {
  const requestId = requestIdOf(answer)
  const promisedDigest = parseReprDigest(trailer(answer, HEADERS.reprDigest, requestId))
  if (promisedDigest === undefined) throw malformed(HEADERS.reprDigest, requestId)
  const rowsText = trailer(answer, HEADERS.rows, requestId)
  if (!/^\d{1,15}$/.test(rowsText)) throw malformed(HEADERS.rows, requestId)

  if (promisedDigest !== digest.toString('base64')) {
    const message = 'the SHA-256 of the bytes that arrived is not the SHA-256 that the gateway sent'
    throw new ReportError('digest-mismatch', message, { requestId })
  }
  const rows = Number(rowsText)
  if (counted !== undefined && counted !== rows) {
    const message = `the gateway sent ${rows} rows, but ${counted} arrived`
    throw new ReportError('rows-mismatch', message, { requestId })
  }
  // An older gateway does not send this trailer.
  const replaced = Number(answer.trailers[HEADERS.replaced.toLowerCase()] ?? 0)
  return { rows, replaced, sha256: digest.toString('hex') }
}

function trailer(answer: IncomingMessage, name: string, requestId: string | undefined): string {
  const value = answer.trailers[name.toLowerCase()]
  if (value !== undefined) return value
  const message = `the trailer ${name} is missing, so the report may be incomplete`
  throw new ReportError('incomplete', `${message}; a proxy may have dropped the trailer`, {
    requestId,
  })
}

function malformed(name: string, requestId: string | undefined): ReportError {
  const message = `the trailer ${name} is malformed, so the report may be incomplete`
  return new ReportError('incomplete', message, { requestId })
}
