import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { MIMEType } from 'node:util'
import {
  PROBLEM_MEDIA_TYPE,
  type Problem,
  REFUSAL_MEDIA_TYPE,
  REFUSAL_PREFIX,
} from '@counterfoil/protocol'
import { type Patience, receive, requestIdOf } from './exchange.ts'
import { fileNameOf } from './file-name.ts'
import { ReportError } from './report-error.ts'
import { type Completeness, type Csv, verifyBody } from './verify-body.ts'

/** A report that has begun to come. */
export interface Report {
  /** What the gateway's operator finds the request by. */
  readonly requestId: string | undefined
  /** The name that the gateway gives the file, made safe: a base name. */
  readonly fileName: string
  /** For example `text/csv; charset=UTF-8`. */
  readonly contentType: string
  /**
   * The report's bytes. It ends only if the report is complete: otherwise it fails with a {@link ReportError}, after
   * bytes of a part of the report have already been read. Destroy it to leave early.
   */
  readonly body: Readable
  /** Fulfilled when the body was read to its end and is complete; rejected with what made it fail. */
  readonly completed: Promise<Completeness>
}

/** The longest text (a refusal, a problem) that is read; the gateway's are far shorter. */
const TEXT_BYTES_MAX = 1024 * 1024
const FILE_NAME_DEFAULT = 'report'

/**
 * Tells the outcomes apart: a report is status 200 with a Content-Disposition, and never `text/plain`, which with
 * status 200 is how a refusal comes (specification, "Errors"). Everything else is thrown.
 */
export async function readAnswer(answer: IncomingMessage, patience: Patience): Promise<Report> {
  const contentType = answer.headers['content-type'] ?? ''
  const disposition = answer.headers['content-disposition']
  const mediaType = mediaTypeOf(contentType)
  if (answer.statusCode !== 200 || !disposition || mediaType === REFUSAL_MEDIA_TYPE) {
    throw await readFailure(answer, mediaType, patience)
  }
  return {
    requestId: requestIdOf(answer),
    fileName: fileNameOf(disposition) ?? FILE_NAME_DEFAULT,
    contentType,
    ...verifyBody(answer, csvOf(contentType), patience),
  }
}

async function readFailure(
  answer: IncomingMessage,
  mediaType: string | undefined,
  patience: Patience,
): Promise<ReportError> {
  const status = answer.statusCode ?? 0
  const requestId = requestIdOf(answer)
  if (status >= 300 && status < 400) {
    answer.destroy()
    const target = JSON.stringify(answer.headers.location ?? 'nowhere')
    const message = `the endpoint redirects (status ${status}) to ${target}, which is never followed`
    return new ReportError('unexpected-answer', message, { requestId })
  }
  const text = await readText(answer, patience)
  if (text.startsWith(REFUSAL_PREFIX)) {
    const message = 'the gateway refused the login, the key or the signature'
    return new ReportError('refused', message, { requestId, refusal: text.trimEnd() })
  }
  const problem = mediaType === PROBLEM_MEDIA_TYPE ? parseProblem(text) : undefined
  if (status === 503) {
    const seconds = answer.headers['retry-after'] ?? ''
    const retryAfterSeconds = /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined
    const details = { requestId, problem, retryAfterSeconds }
    return new ReportError('busy', problem?.detail ?? 'the gateway is busy', details)
  }
  if (problem) return new ReportError('problem', problem.detail, { requestId, problem })
  const beginning = text === '' ? 'nothing' : JSON.stringify(text.slice(0, 200))
  const message = `expected a report, got status ${status}, ${mediaType ?? 'no media type'}: ${beginning}`
  return new ReportError('unexpected-answer', message, { requestId })
}

async function readText(answer: IncomingMessage, patience: Patience): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of receive(answer, patience)) {
    bytes += chunk.length
    if (bytes > TEXT_BYTES_MAX) {
      const message = `expected a report, got a text of over ${TEXT_BYTES_MAX} bytes (status ${answer.statusCode})`
      throw new ReportError('unexpected-answer', message, { requestId: requestIdOf(answer) })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads a problem (RFC 9457); `undefined` where it is not one of the gateway's. */
function parseProblem(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isProblem(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isProblem(value: unknown): value is Problem {
  if (!hasTexts(value, ['type', 'title', 'code', 'detail', 'requestId'])) return false
  const { status, errors = [] } = value
  const areFaults =
    Array.isArray(errors) && errors.every((fault) => hasTexts(fault, ['pointer', 'expected']))
  return typeof status === 'number' && areFaults
}

function hasTexts(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  const entries = new Map(Object.entries(value ?? {}))
  return names.every((name) => typeof entries.get(name) === 'string')
}

/** Whether an answer is CSV, and has a header row, as it has unless its type says otherwise (RFC 4180, section 3). */
function csvOf(contentType: string): Csv | undefined {
  if (mediaTypeOf(contentType) !== 'text/csv') return undefined
  return { hasHeader: new MIMEType(contentType).params.get('header') !== 'absent' }
}

function mediaTypeOf(contentType: string): string | undefined {
  try {
    return new MIMEType(contentType).essence
  } catch {
    return undefined
  }
}
