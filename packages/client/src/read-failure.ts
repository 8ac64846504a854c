import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { PROBLEM_MEDIA_TYPE, type Problem, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { type Patience, receive, requestIdOf } from './exchange.ts'
import { ReportError } from './report-error.ts'

/** The longest text (a refusal, a problem) that is read; the gateway's are far shorter. */
const TEXT_BYTES_MAX = 1024 * 1024

/** What an answer that is not what was `expected` tells: a refusal, a problem, a busy gateway, or something foreign. */
export function failureOf(answer: IncomingMessage, text: string, expected: string): ReportError {
  const status = answer.statusCode ?? 0
  const requestId = requestIdOf(answer)
  const mediaType = mediaTypeOf(answer)
  if (text.startsWith(REFUSAL_PREFIX)) {
    const message = 'the gateway refused the login, the key or the signature'
    return new ReportError('refused', message, { requestId, refusal: text.trimEnd() })
  }
  const problem = mediaType === PROBLEM_MEDIA_TYPE ? parseProblem(text) : undefined
  // 429: the login's own reports use its share of the gateway.
  if (status === 503 || status === 429) {
    const details = { requestId, problem, retryAfterSeconds: retryAfterSecondsOf(answer) }
    return new ReportError('busy', problem?.detail ?? 'the gateway is busy', details)
  }
  if (problem) return new ReportError('problem', problem.detail, { requestId, problem })
  const beginning = text === '' ? 'nothing' : JSON.stringify(text.slice(0, 200))
  const message = `expected ${expected}, got status ${status}, ${mediaType ?? 'no media type'}: ${beginning}`
  return new ReportError('unexpected-answer', message, { requestId })
}

/** Reads an answer that is a text. Throws `unexpected-answer` for a redirect, which is never followed, or too long a text. */
export async function readText(answer: IncomingMessage, patience: Patience): Promise<string> {
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
  for await (const chunk of receive(answer, patience)) {
    bytes += chunk.length
    if (bytes > TEXT_BYTES_MAX) {
      throw foreign(answer, `the answer is longer than ${TEXT_BYTES_MAX} bytes (status ${status})`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** When a busy gateway says to ask again. */
export function retryAfterSecondsOf({ headers }: IncomingMessage): number | undefined {
  const seconds = headers['retry-after'] ?? ''
  return /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined
}

/** The media type of an answer, without parameters; `undefined` where it has none that can be read. */
export function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  try {
    return new MIMEType(headers['content-type'] ?? '').essence
  } catch {
    return undefined
  }
}

/** Whether a value that came as JSON has these members, and each is a text. */
export function hasTexts(
  value: unknown,
  names: readonly string[],
): value is Record<string, unknown> {
  const entries = new Map(Object.entries(value ?? {}))
  return names.every((name) => typeof entries.get(name) === 'string')
}

/** Reads JSON; `undefined` where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a problem (RFC 9457); `undefined` where it is not one of the gateway's. */
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
