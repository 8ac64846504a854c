import {
  CounterfoilError,
  type ErrorCode,
  readReportUrl,
  type TlsFault,
  tlsFaultOf,
} from '@counterfoil/client'
import { type Dependencies, EXIT_CODES, Interrupted } from '../command.ts'
import { countOf, jsonLine, printable } from './text.ts'

interface Attempt {
  readonly endpoint: string
  readonly ca?: string | undefined
  /** What an error or an interruption leaves behind, as a sentence. */
  readonly state?: string | undefined
  readonly json?: boolean | undefined
}

/** Prints why the requests of a command failed, and returns the exit code. Throws errors that are not the client's. */
export async function endWithError(
  error: unknown,
  { endpoint, ca, state, json }: Attempt,
  { stdout, stderr, signal }: Dependencies,
): Promise<number> {
  if (signal.aborted) throw new Interrupted(state)
  if (!(error instanceof CounterfoilError)) throw error
  const advice = await adviseAddress(error, endpoint, { ca, signal })
  stderr.write(describeError(error, state, advice))
  if (json) {
    const { name: _, message, ...fields } = error
    stdout.write(jsonLine({ ok: false, message, ...fields }))
  }
  return ENDS[error.code][0]
}

/** Finds out by discovery whether a request failed because its address is not the gateway's, and says what to do. */
async function adviseAddress(
  error: CounterfoilError,
  endpoint: string,
  { ca, signal }: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const isAtOtherPath =
    error.code === 'report-refused' &&
    ['not-found', 'method-not-allowed'].includes(error.problem.code)
  const signed = URL.parse(endpoint)
  if (!signed || !(isAtOtherPath || error.code === 'not-authorised')) return undefined
  const expected = await readReportUrl(signed, { ca, signal })
  if (!expected) return undefined
  if (isAtOtherPath) {
    return expected.href === signed.href
      ? '--endpoint is right, but this gateway does not serve what you asked for: it may be an older one'
      : `the gateway's report URL is another. Use --endpoint ${expected.href}`
  }
  if (expected.origin === signed.origin) return undefined
  const facts = `you signed ${signed.origin}; the gateway's address is ${expected.origin}`
  return `${facts}. Use --endpoint ${expected.origin}${signed.pathname}${signed.search}`
}

/** How a command ends with each error of the client, and what to do next. */
const ENDS: Readonly<Record<ErrorCode, readonly [exitCode: number, nextStep: string]>> = {
  'invalid-settings': [EXIT_CODES.usage, 'correct the setting.'],
  'not-authorised': [
    EXIT_CODES.notAuthorised,
    "check the login, the key (does it belong to this environment?), the host, port and path of --endpoint, which the signature covers, and this machine's clock.",
  ],
  'report-refused': [EXIT_CODES.refused, 'correct the request.'],
  'operation-refused': [EXIT_CODES.refused, 'correct the request.'],
  busy: [EXIT_CODES.busy, 'retry later.'],
  'network-error': [EXIT_CODES.network, 'check --endpoint and the network, then retry.'],
  'timed-out': [EXIT_CODES.network, 'check --endpoint and the network, then retry.'],
  truncated: [EXIT_CODES.incomplete, 'retry.'],
  'digest-mismatch': [EXIT_CODES.incomplete, 'retry; if it happens again, tell the operator.'],
  'unexpected-body': [
    EXIT_CODES.network,
    "check that --endpoint is the URL that the gateway's operator gave you.",
  ],
  'file-error': [
    EXIT_CODES.failed,
    'choose another file with -o, or replace an existing file with --overwrite.',
  ],
}

const TLS_STEPS: Readonly<Record<TlsFault, string>> = {
  untrusted:
    "pass the gateway's certificate, or that of its authority, with --ca FILE (PEM): ask the operator.",
  'other-host':
    'use a host name of the certificate in --endpoint, or ask the operator for a certificate for this host.',
  'not-valid-now': "check this machine's clock; if it is right, tell the operator.",
  'no-tls': 'check the port of --endpoint, and whether it begins with http: or https:.',
}

/** Describes a failure: what happened, what it left behind (`state`), and what to do next. */
function describeError(error: CounterfoilError, state?: string, advice?: string): string {
  const { code, message, requestId } = error
  const refusal = error.code === 'not-authorised' ? error.refusal : undefined
  const problem = error.code === 'report-refused' ? error.problem : undefined
  // The problem's message already holds the first faults.
  const faults = problem?.errors?.filter(({ expected }) => !message.includes(expected)) ?? []
  const isIdShown = requestId === undefined || refusal?.includes(requestId)
  const lines = [
    `counterfoil: ${code}: ${message}`,
    ...(refusal === undefined ? [] : [refusal]),
    ...faults.map(({ pointer, expected }) => `  ${pointer || 'body'}: ${expected}`),
    ...(state === undefined ? [] : [state]),
    `Next: ${advice === undefined ? nextStep(error) : `${advice}.`}`,
    ...(isIdShown ? [] : [`Request id: ${requestId}`]),
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

function nextStep(error: CounterfoilError): string {
  const fault = tlsFaultOf(error.cause)
  if (fault !== undefined) return TLS_STEPS[fault]
  if (error.code === 'busy' && error.retryAfterSeconds !== undefined) {
    return `wait ${countOf(error.retryAfterSeconds, 'second', 'seconds')}, then retry.`
  }
  if (error.code === 'report-refused') {
    const { code, status } = error.problem
    // The gateway does not tell whether a report exists for other roles.
    if (code === 'unknown-report') {
      return 'choose a report of the list; a report that is missing there does not exist, or needs a login of another role.'
    }
    if (code === 'unknown-run') return 'check the RUN: counterfoil runs lists yours.'
    if (status === 404) return 'check the path of --endpoint.'
    if (status >= 500) return 'tell the operator the request id.'
  }
  return ENDS[error.code][1]
}

const USAGE_LENGTH_MAX = 2_000

/** Describes a wrong command line or file without values that may be card data. It cuts a long text of a file. */
export function describeUsage(message: string): string {
  const shown =
    message.length > USAGE_LENGTH_MAX ? `${message.slice(0, USAGE_LENGTH_MAX)}…\n` : message
  const text = shown
    .replace(/^error: /, '')
    .replace(/'(--[^'= ]+)=.*'/s, "'$1'")
    .replace(/ argument '.*' is invalid\./s, ' is invalid.')
  return printable(`counterfoil: ${text.replaceAll(/\d{12,19}/g, '…')}`)
}
