import * as z from 'zod/mini'
import { describe, type ValueOf } from './schema.ts'

/**
 * The beginning of a refusal's message. A refusal at the report URL has status 200, so clients must check the body too
 * (specification, "Errors").
 */
export const REFUSAL_PREFIX = 'You are not authorised'

/** The media type of a refusal. */
export const REFUSAL_MEDIA_TYPE = 'text/plain'

/** The media type by which a caller asks for a refusal as JSON. No other `Accept` changes the text of a refusal. */
export const REFUSAL_JSON_MEDIA_TYPE = 'application/vnd.counterfoil.refusal+json'

/** The media type of a problem (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** The schema of a problem (RFC 9457). */
export const problemSchema = describe(
  z.object({
    type: describe(z.string(), 'urn:counterfoil:problem: and the code'),
    title: describe(z.string(), 'the kind of problem, as a sentence'),
    status: z.int(),
    code: describe(z.string(), 'the stable code: decide by it'),
    detail: describe(z.string(), 'what was expected, for people'),
    requestId: describe(z.string(), 'the id by which the operator finds the request'),
    errors: z.exactOptional(
      z.array(
        z.object({
          pointer: describe(z.string(), 'the field, as a JSON pointer (RFC 6901) into the body'),
          expected: z.string(),
        }),
      ),
    ),
  }),
  'A problem (RFC 9457).',
)

/** A problem as JSON (RFC 9457), with a stable code, the request's id, and the faults of the request's fields. */
export type Problem = ValueOf<typeof problemSchema>

/** One fault of a request: its place, and what was expected there. */
export type ProblemFault = NonNullable<Problem['errors']>[number]

/** The headers and trailers of reports: the proof of completeness, the request's id, and facts of the report. */
export const HEADERS = {
  requestId: 'Counterfoil-Request-Id',
  rows: 'Counterfoil-Rows',
  replaced: 'Counterfoil-Replaced',
  newestRow: 'Counterfoil-Newest-Row',
  syncedAt: 'Counterfoil-Synced-At',
  timezone: 'Counterfoil-Timezone',
  reprDigest: 'Repr-Digest',
} as const

/** Formats a SHA-256 digest as the value of `Repr-Digest`: `sha-256=:<base64>:` (RFC 9530, section 3). */
export function formatReprDigest(sha256Base64: string): string {
  return `sha-256=:${sha256Base64}:`
}

/** Returns the SHA-256 digest in base64 from a value of `Repr-Digest`, or undefined if it has none. */
export function parseReprDigest(value: string): string | undefined {
  return /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(value)?.[1]
}

/** Returns a digest in hex, as `sha256sum` prints it. */
export function digestInHex(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(
    '',
  )
}
