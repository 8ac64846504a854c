import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  formatReprDigest,
  HEADERS,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  REFUSAL_MEDIA_TYPE,
} from '@counterfoil/protocol'
import { create as contentDisposition } from 'content-disposition'
import { type GatewayError, isProblemCode, PROBLEMS, type ProblemCode } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import type { Outcome, ReportStream } from '../outcome.ts'
import { discardBody } from './read-body.ts'
import { ReportWriter, type UnsentBytes } from './report-writer.ts'

/** A reply that is sent at once: status, headers and a text. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** What was sent of a report. */
export interface SentReport {
  /** Of a report that is complete. */
  readonly rows?: number
  readonly bytes: number
}

/** The headers of every answer. */
const EVERY_ANSWER = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

/** A refusal, a problem or a JSON reply, as it is sent. The status of a refusal is the path's: 200 for reports (specification, "Errors"). */
export function replyTo(
  outcome: Exclude<Outcome, ReportStream>,
  requestId: string,
  refusalStatus: number,
): Reply {
  if (outcome.kind === 'problem') {
    const problem = problemReply(outcome.error, requestId)
    if (!outcome.content) return problem
    const { headers, text } = jsonReply(outcome.content)
    return { status: problem.status, headers: { ...problem.headers, ...headers }, text }
  }
  if (outcome.kind === 'reply') return jsonReply(outcome.content, outcome.status)
  return {
    status: refusalStatus,
    headers: { ...EVERY_ANSWER, 'Content-Type': `${REFUSAL_MEDIA_TYPE}; charset=utf-8` },
    text: outcome.message,
  }
}

/** Makes a JSON reply. */
export function jsonReply(content: object, status = 200): Reply {
  return {
    status,
    headers: { ...EVERY_ANSWER, 'Content-Type': 'application/json' },
    text: `${JSON.stringify(content)}\n`,
  }
}

/** A problem as a reply (RFC 9457). What is no caller's business becomes an `internal-error` without words. */
export function problemReply(error: GatewayError, requestId: string): Reply {
  const code: ProblemCode = isProblemCode(error.code) ? error.code : 'internal-error'
  const { status, title } = PROBLEMS[code]
  const problem: Problem = {
    type: `urn:counterfoil:problem:${code}`,
    title,
    status,
    code,
    detail: code === error.code ? error.message : title,
    requestId,
    ...(error.faults.length > 0 && { errors: error.faults }),
  }
  const retry =
    status === 503 || status === 429 ? { 'Retry-After': String(LIMITS.retryAfterSeconds) } : {}
  return {
    status,
    headers: { ...EVERY_ANSWER, ...retry, 'Content-Type': PROBLEM_MEDIA_TYPE },
    text: `${JSON.stringify(problem)}\n`,
  }
}

/**
 * Sends a reply. Where the request is still arriving, its rest passes unread and the connection ends: a caller who is
 * still sending would lose a reply that came with a reset.
 */
export async function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, text }: Reply,
): Promise<void> {
  const length = { 'Content-Length': Buffer.byteLength(text) }
  if (request.complete) {
    response.writeHead(status, { ...headers, ...length }).end(text)
    return
  }
  response.writeHead(status, { ...headers, ...length, Connection: 'close' }).write(text)
  await discardBody(request)
  response.end()
}

/** Closes the connection of a caller who does not take the rest of a written reply within `LIMITS.replyTimeoutMs`. */
export function endUnread(response: ServerResponse): void {
  response.once('prefinish', () => {
    if (response.destroyed) return
    const timer = setTimeout(() => response.destroy(), LIMITS.replyTimeoutMs)
    response.once('close', () => clearTimeout(timer))
  })
}

/**
 * Sends a report as it comes, with its proof of completeness as trailers (RFC 9530, RFC 9110 section 6.5).
 * A report that breaks, or whose reader takes nothing for too long, ends as a cut connection: never as a whole report.
 */
export async function sendReport(
  response: ServerResponse,
  report: ReportStream,
  unsent: UnsentBytes,
): Promise<SentReport> {
  response.writeHead(200, {
    ...EVERY_ANSWER,
    'Content-Type': report.contentType,
    'Content-Disposition': contentDisposition(report.fileName),
    [HEADERS.newestRow]: report.newestRow,
    Trailer: `${HEADERS.reprDigest}, ${HEADERS.rows}`,
  })
  const writer = new ReportWriter(response, unsent)
  let bytes = 0
  try {
    for (;;) {
      const next = await report.body.next()
      if (response.destroyed) return { bytes }
      if (next.done) {
        await writer.flush()
        if (response.destroyed) return { bytes }
        const { rows, sha256 } = next.value
        response.addTrailers({
          [HEADERS.reprDigest]: formatReprDigest(sha256),
          [HEADERS.rows]: String(rows),
        })
        response.end()
        return { bytes, rows }
      }
      // To HTTP an empty chunk is the end.
      if (next.value.length === 0) continue
      bytes += next.value.length
      await writer.write(next.value)
    }
  } catch (error) {
    response.destroy()
    throw error
  } finally {
    await report.body.return({ rows: 0, sha256: '' })
  }
}
