import { HEADERS, PROBLEM_MEDIA_TYPE, type Problem } from '@counterfoil/protocol'
import { isProblemCode, PROBLEMS, type ProblemCode } from '@counterfoil/common'
import type { Described } from './form-schema.ts'

/** The problems that a caller may get before the gateway knows whether the signature is right (docs/errors.md). */
export const BEFORE_SIGNATURE = [
  'malformed-http',
  'not-found',
  'method-not-allowed',
  'not-acceptable',
  'request-timeout',
  'body-too-large',
  'misdirected-request',
  'headers-too-large',
  'unsupported-transfer-coding',
  'gateway-busy',
  'store-busy',
  'shutting-down',
  'http-version',
  'internal-error',
] as const satisfies readonly ProblemCode[]

const EVERY = [...BEFORE_SIGNATURE, 'unsupported-media-type'] as const

const ENGINE = ['engine-busy', 'engine-failed', 'engine-limit'] as const
const JSON_BODY = ['malformed-json', 'invalid-field'] as const

/** The problems of each kind of path. */
export const PROBLEMS_OF = {
  report: [
    ...EVERY,
    ...JSON_BODY,
    'unknown-report',
    'invalid-parameter',
    'invalid-filter',
    'too-many-reports',
    ...ENGINE,
  ],
  catalogue: [...EVERY, ...JSON_BODY, 'too-many-reports', ...ENGINE],
  runs: [...EVERY, ...JSON_BODY],
  run: [...EVERY, ...JSON_BODY, 'unknown-run'],
  operation: EVERY,
} as const satisfies Record<string, readonly ProblemCode[]>

/** Returns the codes of some problems by their status. */
export function codesByStatus(
  codes: readonly ProblemCode[],
): ReadonlyMap<number, readonly ProblemCode[]> {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].toSorted(
    (one, other) => one - other,
  )
  return new Map(
    statuses.map((status) => [status, codes.filter((code) => PROBLEMS[code].status === status)]),
  )
}

/** Returns references to the responses for some problems, by status. */
export function problemResponses(codes: readonly ProblemCode[]): Described {
  const refs = [...codesByStatus(codes)].map(([status, ofStatus]) => {
    return [status, { $ref: `#/components/responses/${nameOf(ofStatus)}` }]
  })
  return Object.fromEntries(refs)
}

/** Returns every response with problems, by its name. Paths with the same problems share one. */
export function problemComponents(): Readonly<Record<string, Described>> {
  const groups = Object.values(PROBLEMS_OF).flatMap((codes) => [...codesByStatus(codes).values()])
  return Object.fromEntries(groups.map((codes) => [nameOf(codes), responseOf(codes)]))
}

function nameOf(codes: readonly ProblemCode[]): string {
  return codes.join('.')
}

/** Returns the response for problems of one status. */
export function responseOf(codes: readonly ProblemCode[]) {
  const retries = codes.some((code) => [429, 503].includes(PROBLEMS[code].status))
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: {
      [HEADERS.requestId]: { $ref: `#/components/headers/${HEADERS.requestId}` },
      ...(retries && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
      ...(codes.includes('method-not-allowed') && {
        Allow: { $ref: '#/components/headers/Allow' },
      }),
    },
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  }
}

/** Returns an example of each problem, by its code. */
export function problemExamples(): Readonly<Record<string, Described>> {
  const codes = Object.keys(PROBLEMS).filter(isProblemCode)
  return Object.fromEntries(codes.map((code) => [code, { value: exampleProblem(code) }]))
}

/** A problem as callers get it. */
function exampleProblem(code: ProblemCode): Problem {
  const { status, title } = PROBLEMS[code]
  const faults = FAULTS[code]
  return {
    type: `urn:counterfoil:problem:${code}`,
    title,
    status,
    code,
    detail: faults
      ? faults.map(({ pointer, expected }) => `${pointer}: expected ${expected}`).join('; ')
      : title,
    requestId: 'cb8d87f9-d9fe-4bed-933e-762424bb63a9',
    ...(faults && { errors: faults }),
  }
}

const FAULTS: { readonly [code in ProblemCode]?: NonNullable<Problem['errors']> } = {
  'invalid-field': [{ pointer: '/reportFormat', expected: 'a format of this report: CSV, XLSX' }],
  'unknown-report': [
    { pointer: '/reportIdentifier', expected: 'one of your reports: transactions-list' },
  ],
  'invalid-parameter': [
    { pointer: '/inputReportParameters/0/value', expected: 'a day such as "2026-01-31"' },
  ],
  'invalid-filter': [{ pointer: '/filters/merchants/0', expected: 'an id of your own' }],
}
