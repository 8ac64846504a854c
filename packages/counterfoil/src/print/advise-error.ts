import type { NotAuthorised, ReportRefused } from '@counterfoil/client'

/** Reasons in the gateway's refusals (docs/errors.md), and what to do about each. */
const REFUSALS: readonly (readonly [reason: RegExp, advice: string])[] = [
  [/oauth_body_hash, which this login must sign/, 'add --sign-body'],
  [/got keys for RSA-SHA256 only/, 'use --private-key'],
  [/got keys for HMAC-SHA1 only/, 'use --control-key-file'],
  [/got no (live|active) key/, 'ask the operator for a key'],
]

/** The step that fails if no key of the login made the signature. */
const SIGNATURE_STEP = /^Step that failed: signature$/m

const RIGHT_ADDRESS =
  'the address and the clock are right, so the key is wrong: check that it is the key of this login in this environment'

/** The gateway does not tell whether a report exists for other roles. */
const OTHER_REPORT =
  'choose a report of the list; a report that is missing there does not exist, or needs a login of another role'

/** The options of `counterfoil report`, by the member of the request that they set. */
const OPTIONS: readonly (readonly [pointer: RegExp, option: string])[] = [
  [/^\/filters\b/, '--filter'],
  [/^\/reportEncode$/, '--encode'],
  [/^\/reportCsvDelimiter$/, '--delimiter'],
  [/^\/reportFormat$/, '--format'],
  [/^\/reportName$/, '--name'],
  [/^\/reportIdentifier$/, 'the IDENTIFIER'],
  [/^\/outputReportParameters\b/, '--column'],
  [/^\/configurationReportParameters\b/, '--configuration'],
]

/** The parameters with an option of their own. `--parameter` sets all others. */
const PARAMETER_OPTIONS: Readonly<Record<string, string>> = {
  dateFrom: '--from',
  dateTo: '--to',
  timezone: '--timezone',
}

/**
 * Finds what to do about a refusal. Call it after `adviseAddress`, when the signed address is known to be right.
 *
 * @returns `undefined` if the refusal gives no known reason
 */
export function adviseRefusal({ refusal = '' }: NotAuthorised): string | undefined {
  const known = REFUSALS.find(([reason]) => reason.test(refusal))
  if (known) return known[1]
  return SIGNATURE_STEP.test(refusal) ? RIGHT_ADDRESS : undefined
}

/**
 * Finds the options of `counterfoil report` that a problem is about.
 *
 * @returns `undefined` if the command has no option for any of the problem's pointers
 */
export function adviseProblem({ problem }: ReportRefused): string | undefined {
  if (problem.code === 'unknown-report') return OTHER_REPORT
  const options = problem.errors?.flatMap(({ pointer, expected }) => optionsOf(pointer, expected))
  return options?.length ? `correct ${[...new Set(options)].join(', ')}` : undefined
}

function optionsOf(pointer: string, expected: string): readonly string[] {
  if (/^\/inputReportParameters\b/.test(pointer)) {
    const named = Object.entries(PARAMETER_OPTIONS).filter(([name]) => {
      return new RegExp(`\\b${name}\\b`).test(expected)
    })
    return named.length > 0 ? named.map(([, option]) => option) : ['--parameter']
  }
  return OPTIONS.filter(([pattern]) => pattern.test(pointer)).map(([, option]) => option)
}
