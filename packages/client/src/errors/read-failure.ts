import { conforms, PROBLEM_MEDIA_TYPE, problemSchema, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { type CounterfoilError, createError } from './counterfoil-error.ts'
import { parseMediaType } from '../report/media-type.ts'
import { type Answer, requestIdOf } from '../runtime/runtime.ts'

/** The most bytes of a short answer to read. The gateway's are far shorter. */
const TEXT_BYTES_MAX = 16 * 1024 * 1024

/** Creates the error for an answer that is not the `expected` one. */
export function failureOf(answer: Answer, text: string, expected: string): CounterfoilError {
  const { status } = answer
  const requestId = requestIdOf(answer)
  if (text.startsWith(REFUSAL_PREFIX)) {
    const message = 'the gateway refused the login, the key or the signature'
    return createError('not-authorised', message, { refusal: text.trimEnd() }, { requestId })
  }
  const mediaType = mediaTypeOf(answer)
  const content = mediaType === PROBLEM_MEDIA_TYPE ? parseJson(text) : undefined
  const problem = conforms(problemSchema, content) ? content : undefined
  // With 429, the login's own reports use its share of the gateway.
  if (status === 503 || status === 429) {
    const message = problem?.detail ?? 'the gateway is busy'
    const retryAfterSeconds = retryAfterSecondsOf(answer)
    return createError('busy', message, { retryAfterSeconds }, { requestId })
  }
  if (problem) return createError('report-refused', problem.detail, { problem }, { requestId })
  if (status === 401 || status === 403) {
    const message = `status ${status} without a refusal of the gateway: a proxy may have answered`
    return createError('not-authorised', message, { refusal: undefined }, { requestId })
  }
  const beginning = text === '' ? 'nothing' : JSON.stringify(text.slice(0, 200))
  const message = `expected ${expected}, got status ${status}, ${mediaType ?? 'no media type'}: ${beginning}`
  return createError('unexpected-body', message, { status }, { requestId })
}

/** Reads the text of an answer. Throws `unexpected-body` for a redirect, and for a text that is too long. */
export async function readText(answer: Answer): Promise<string> {
  const { status } = answer
  if (status >= 300 && status < 400) {
    const target = JSON.stringify(answer.header('location') ?? 'nowhere')
    const message = `the gateway redirects (status ${status}) to ${target}; the client follows no redirect`
    throw foreign(answer, message)
  }
  const decoder = new TextDecoder()
  const texts: string[] = []
  let bytes = 0
  for await (const chunk of answer.chunks) {
    bytes += chunk.length
    if (bytes > TEXT_BYTES_MAX) {
      throw foreign(answer, `the answer is longer than ${TEXT_BYTES_MAX} bytes (status ${status})`)
    }
    texts.push(decoder.decode(chunk, { stream: true }))
  }
  return texts.join('') + decoder.decode()
}

/** Returns the seconds in `Retry-After`, which is a number of seconds or an HTTP date (RFC 9110, section 10.2.3). */
export function retryAfterSecondsOf({ header }: Answer): number | undefined {
  const value = header('retry-after') ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const instant = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(instant) ? undefined : Math.max(0, Math.ceil((instant - Date.now()) / 1000))
}

/** Returns the media type of an answer without its parameters, or undefined if it has none or a malformed one. */
export function mediaTypeOf({ header }: Answer): string | undefined {
  return parseMediaType(header('content-type') ?? '')?.essence
}

/** Returns undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function foreign(answer: Answer, message: string): CounterfoilError {
  answer.cancel()
  const { status } = answer
  return createError('unexpected-body', message, { status }, { requestId: requestIdOf(answer) })
}
