import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { HEADERS, parseReprDigest } from '@counterfoil/protocol'
import { type Patience, receive, requestIdOf } from './exchange.ts'
import { ReportError } from './report-error.ts'
import { createRowCounter } from './row-counter.ts'

/** What is known of a report that came whole. */
export interface Completeness {
  /** Data rows, without the header row. */
  readonly rows: number
  readonly bytes: number
  /** The SHA-256 of the bytes, in hexadecimal: what `sha256sum` prints for the file. */
  readonly sha256: string
}

/** A CSV, of which rows can be counted. */
export interface Csv {
  readonly hasHeader: boolean
}

/** A body that ends well only if it is complete. */
export interface VerifiedBody {
  readonly body: Readable
  /** Fulfilled when the body was read to its end and is complete; rejected with what made it fail. */
  readonly completed: Promise<Completeness>
}

/**
 * Passes an answer's body on and, at its end, checks it against the trailers: the digest (RFC 9530) and the number
 * of rows, which is counted in the bytes where they are CSV. The body then fails instead of ending, with
 * `incomplete` (cut, or a trailer missing or malformed), `digest-mismatch` or `rows-mismatch`.
 */
export function verifyBody(
  answer: IncomingMessage,
  csv: Csv | undefined,
  patience: Patience,
): VerifiedBody {
  const { promise, resolve, reject } = Promise.withResolvers<Completeness>()
  const verified = async function* (): AsyncGenerator<Buffer, void> {
    const hash = createHash('sha256')
    const counter = csv && createRowCounter(csv.hasHeader)
    let bytes = 0
    for await (const chunk of receive(answer, patience)) {
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
      // At once: `Readable.from` would wait for a next chunk, which a silent gateway never sends.
      answer.destroy()
      done(error)
    },
  })
  finished(body).catch(reject)
  // Who only reads the body hears of its failure there.
  promise.catch(() => {})
  return { body, completed: promise }
}

function checkTrailers(
  answer: IncomingMessage,
  digest: Buffer,
  counted: number | undefined,
): Pick<Completeness, 'rows' | 'sha256'> {
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
  return { rows, sha256: digest.toString('hex') }
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
