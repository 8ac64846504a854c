import { createHash } from 'node:crypto'
import { HEADERS, parseReprDigest } from '@counterfoil/protocol'
import { DigestMismatch, Truncated } from './counterfoil-error.ts'
import { requestIdOf } from './request-id.ts'
import { type CountedCsv, createRowCounter } from './row-counter.ts'
import type { Answer } from './transport/transport.ts'

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

/**
 * Passes the body of an answer on, and checks it against the trailers at its end: the digest (RFC 9530) and the number
 * of rows, which it counts if the body is CSV. Throws `Truncated` (the connection was cut, or a trailer is missing or
 * malformed) or `DigestMismatch`.
 */
export async function* verifyBody(
  answer: Answer,
  csv: CountedCsv | undefined,
): AsyncGenerator<Uint8Array, Completeness, void> {
  const hash = createHash('sha256')
  const counter = csv && createRowCounter(csv)
  let bytes = 0
  for await (const chunk of answer.chunks) {
    hash.update(chunk)
    counter?.push(chunk)
    bytes += chunk.length
    yield chunk
  }
  return { bytes, ...checkTrailers(answer, hash.digest(), counter?.rows()) }
}

function checkTrailers(
  answer: Answer,
  digest: Buffer,
  counted: number | undefined,
): Omit<Completeness, 'bytes'> {
  const requestId = requestIdOf(answer)
  const promisedDigest = parseReprDigest(trailer(answer, HEADERS.reprDigest))
  if (promisedDigest === undefined) throw malformed(HEADERS.reprDigest, requestId)
  const rowsText = trailer(answer, HEADERS.rows)
  if (!/^\d{1,15}$/.test(rowsText)) throw malformed(HEADERS.rows, requestId)

  if (promisedDigest !== digest.toString('base64')) {
    const message = 'the SHA-256 of the bytes that arrived is not the SHA-256 that the gateway sent'
    throw new DigestMismatch(message, 'sha256', { requestId })
  }
  const rows = Number(rowsText)
  if (counted !== undefined && counted !== rows) {
    const message = `the gateway sent ${rows} rows, but ${counted} arrived`
    throw new DigestMismatch(message, 'rows', { requestId })
  }
  // An older gateway does not send this trailer.
  const replaced = Number(answer.trailer?.(HEADERS.replaced) ?? 0)
  return { rows, replaced, sha256: digest.toString('hex') }
}

function trailer(answer: Answer, name: string): string {
  const value = answer.trailer?.(name)
  if (value !== undefined) return value
  const message = `the trailer ${name} is missing, so the report may be incomplete`
  throw new Truncated(`${message}; a proxy may have dropped the trailer`, 'unproved', {
    requestId: requestIdOf(answer),
  })
}

function malformed(name: string, requestId: string | undefined): Truncated {
  const message = `the trailer ${name} is malformed, so the report may be incomplete`
  return new Truncated(message, 'unproved', { requestId })
}
