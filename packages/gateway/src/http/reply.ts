import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import {
  formatReprDigest,
  HEADERS,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  REFUSAL_JSON_MEDIA_TYPE,
  REFUSAL_MEDIA_TYPE,
} from '@counterfoil/protocol'
import { create as contentDisposition } from 'content-disposition'
import {
  freeMemory,
  type GatewayError,
  isProblemCode,
  LIMITS,
  type ProblemCode,
  PROBLEMS,
} from '@counterfoil/common'
import type { Answer, Outcome, ReportStream, ReportTotals } from '../outcome/outcome.ts'
import { compressBody, type ContentCoding } from './content-coding.ts'
import { discardBody } from './read-body.ts'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string | Buffer
}

/** Answers a request that needs no signature. */
export type PublicAnswer = Reply | ((headers: IncomingHttpHeaders) => Reply | Promise<Reply>)

const EVERY_ANSWER = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

/** Makes the reply to an outcome that is no report. Reports have another status of a refusal than other paths. */
export function replyTo(
  outcome: Exclude<Outcome, ReportStream>,
  requestId: string,
  refusalStatus: number,
): Reply {
  if (outcome.kind === 'reply') return replyOf(outcome.content, outcome)
  const { content } = outcome
  if (outcome.kind === 'problem') {
    const problem = problemReply(outcome.error, requestId)
    if (!content) return problem
    const { headers, text } = replyOf(content)
    return { status: problem.status, headers: { ...problem.headers, ...headers }, text }
  }
  const contentType = content ? REFUSAL_JSON_MEDIA_TYPE : `${REFUSAL_MEDIA_TYPE}; charset=utf-8`
  return replyOf(content ?? outcome.message, { status: refusalStatus, contentType })
}

/** Makes a reply: an object as JSON, a text as it is. */
export function replyOf(
  content: object | string,
  {
    status = 200,
    headers = {},
    contentType = 'application/json',
  }: Omit<Answer, 'kind' | 'content'> = {},
): Reply {
  const text = typeof content === 'string' ? content : `${JSON.stringify(content)}\n`
  const type = text === '' ? {} : { 'Content-Type': contentType }
  return { status, headers: { ...EVERY_ANSWER, ...type, ...headers }, text }
}

/** Makes the reply to a problem (RFC 9457). An operator's error becomes an `internal-error` without details. */
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
  const headers = {
    ...((status === 503 || status === 429) && {
      'Retry-After': String(LIMITS.retryAfterSeconds),
    }),
    // RFC 9110 wants a challenge. Browsers ignore this scheme, so that they ask for no password.
    ...(status === 401 && { 'WWW-Authenticate': 'Cookie' }),
  }
  return replyOf(problem, { status, headers, contentType: PROBLEM_MEDIA_TYPE })
}

/**
 * Sends a reply. If the request is still arriving, the function drops its rest and then ends the connection. An
 * immediate reset could make the caller lose the reply.
 */
export async function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, text }: Reply,
): Promise<void> {
  // An answer without content has no length (RFC 9110, section 8.6).
  const length =
    status === 204 || status === 304 ? {} : { 'Content-Length': Buffer.byteLength(text) }
  if (request.complete) {
    response.writeHead(status, { ...headers, ...length }).end(text)
    return
  }
  response.writeHead(status, { ...headers, ...length, Connection: 'close' }).write(text)
  await discardBody(request)
  response.end()
}

/**
 * Streams a report, and then its proof of completeness as trailers (RFC 9530, RFC 9110 section 6.5). If the report
 * breaks, the connection is destroyed, so the report never looks complete.
 *
 * @returns how much was sent; without totals if the report is not complete
 */
export async function sendReport(
  response: ServerResponse,
  report: ReportStream,
  coding?: ContentCoding,
): Promise<{ readonly bytes: number; readonly totals?: ReportTotals }> {
  response.writeHead(200, {
    ...EVERY_ANSWER,
    'Content-Type': report.contentType,
    ...(coding && { 'Content-Encoding': coding }),
    Vary: 'Accept-Encoding',
    'Content-Disposition': contentDisposition(report.fileName),
    [HEADERS.timezone]: report.timezone,
    [HEADERS.newestRow]: report.newestRow,
    ...(report.syncedAt !== undefined && { [HEADERS.syncedAt]: report.syncedAt }),
    Trailer: `${HEADERS.reprDigest}, ${HEADERS.rows}, ${HEADERS.replaced}`,
  })
  const body = coding ? compressBody(report.body, coding) : report.body
  let bytes = 0
  try {
    for (;;) {
      const next = await body.next()
      if (response.destroyed) return { bytes }
      if (next.done) {
        const totals = next.value
        response.addTrailers({
          [HEADERS.reprDigest]: formatReprDigest(totals.sha256),
          [HEADERS.rows]: String(totals.rows),
          [HEADERS.replaced]: String(totals.replaced),
        })
        response.end()
        return { bytes, totals }
      }
      // In HTTP's chunked coding an empty chunk ends the body.
      if (next.value.length === 0) continue
      bytes += next.value.length
      await writeChunk(response, next.value)
    }
  } catch (error) {
    response.destroy()
    throw error
  } finally {
    await body.return({ rows: 0, replaced: 0, sha256: '' })
  }
}

/** Writes a chunk, and frees its memory when it is sent. Waits for the reader when `LIMITS.unsentBytesMax` wait. */
async function writeChunk(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  response.write(chunk, () => freeMemory(chunk))
  if (response.writableLength < LIMITS.unsentBytesMax || response.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  response.once('drain', resolve).once('close', resolve)
  await promise
  response.off('drain', resolve).off('close', resolve)
}
