import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { PROBLEM_MEDIA_TYPE, type Problem, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { type WaitOptions, receive, requestIdOf } from './exchange.ts'
import { ReportError } from './report-error.ts'

/** The most bytes of a refusal or a problem to read. The gateway's are far shorter. */
const TEXT_BYTES_MAX = 1024 * 1024

/**
 * Creates the error for an answer that is not the `expected` one: a refusal, a problem, a busy gateway, or an answer
 * that no gateway sends.
 */
export function failureOf(answer: IncomingMessage, text: string, expected: string): ReportError {
  const status = answer.statusCode ?? 0
  const requestId = requestIdOf(answer)
  const mediaType = mediaTypeOf(answer)
  if (text.startsWith(REFUSAL_PREFIX)) {
    const message = 'the gateway refused the login, the key or the signature'
    return new ReportError('refused', message, { requestId, refusal: text.trimEnd() })
  }
  const problem = mediaType === PROBLEM_MEDIA_TYPE ? parseProblem(text) : undefined
  // With 429, the login's own reports use its share of the gateway.
  if (status === 503 || status === 429) {
    const details = { requestId, problem, retryAfterSeconds: retryAfterSecondsOf(answer) }
    return new ReportError('busy', problem?.detail ?? 'the gateway is busy', details)
  }
  if (problem) return new ReportError('problem', problem.detail, { requestId, problem })
  const beginning = text === '' ? 'nothing' : JSON.stringify(text.slice(0, 200))
  const message = `expected ${expected}, got status ${status}, ${mediaType ?? 'no media type'}: ${beginning}`
  return new ReportError('unexpected-answer', message, { requestId })
}

/** Reads the text of an answer. Throws `unexpected-answer` for a redirect, and for a text that is too long. */
export async function readText(answer: IncomingMessage, waitOptions: WaitOptions): Promise<string> {
  const { statusCode: status = 0, headers } = answer
  if (status >= 300 && status < 400) {
    const target = JSON.stringify(headers.location ?? 'nowhere')
    throw foreign(
      answer,
      `the gateway redirects (status ${status}) to ${target}; the client follows no redirect`,
    )
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of receive(answer, waitOptions)) {
    bytes += chunk.length
    if (bytes > TEXT_BYTES_MAX) {
      throw foreign(answer, `the answer is longer than ${TEXT_BYTES_MAX} bytes (status ${status})`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the seconds in `Retry-After`. */
export function retryAfterSecondsOf({ headers }: IncomingMessage): number | undefined {
  const seconds = headers['retry-after'] ?? ''
  return /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined
}

/** Returns the media type of an answer without its parameters, or undefined if it has none or a malformed one. */
export function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  try {
    return new MIMEType(headers['content-type'] ?? '').essence
  } catch {
    return undefined
  }
}

/** Whether a value parsed from JSON has all these members as strings. */
export function hasTexts(
  value: unknown,
  names: readonly string[],
): value is Record<string, unknown> {
  const entries = new Map(Object.entries(value ?? {}))
  return names.every((name) => typeof entries.get(name) === 'string')
}

/** Parses JSON. Returns undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a problem (RFC 9457). Returns undefined unless it has the members of a gateway's problem. */
function parseProblem(text: string): Problem | undefined {
  const value = parseJson(text)
  return isProblem(value) ? value : undefined
}

function isProblem(value: unknown): value is Problem {
  if (!hasTexts(value, ['type', 'title', 'code', 'detail', 'requestId'])) return false
  const { status, errors = [] } = value
  const areFaults =
    Array.isArray(errors) && errors.every((fault) => hasTexts(fault, ['pointer', 'expected']))
  return typeof status === 'number' && areFaults
}

function foreign(answer: IncomingMessage, message: string): ReportError {
  answer.destroy()
  return new ReportError('unexpected-answer', message, { requestId: requestIdOf(answer) })
}
