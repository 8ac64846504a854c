import {
  type CounterfoilError,
  countsRows,
  type ErrorCode,
  type Proof,
  type ReportOutcome,
  type TlsFault,
  tlsFaultOf,
} from '@counterfoil/client'
import { adviseProblem, adviseRefusal } from './advise-error.ts'

/** A complete report: where it went, and how long it took. */
export interface Received extends ReportOutcome {
  /** `-` for standard output. */
  readonly file: string
  readonly runId: string | undefined
  readonly newestRow: string | undefined
  readonly contentType: string
  readonly seconds: number
}

/** The option that holds the URL of a command's requests. */
export type UrlOption = '--endpoint' | '--api-url'

const USAGE_LENGTH_MAX = 2_000

const nextSteps = (url: UrlOption): Record<ErrorCode, string> => ({
  'invalid-settings': 'correct the setting.',
  'not-authorised': `check the login, the key (does it belong to this environment?), the host, port and path of ${url}, which the signature covers, and this machine's clock.`,
  'report-refused': 'correct the request.',
  'operation-refused': 'correct the request.',
  busy: 'retry later.',
  'network-error': `check ${url} and the network, then retry.`,
  'timed-out': `check ${url} and the network, then retry.`,
  truncated: 'retry.',
  'digest-mismatch': 'retry; if it happens again, tell the operator.',
  'unexpected-body': `check that ${url} is the URL that the gateway's operator gave you.`,
  'file-error': 'choose another file with -o, or replace an existing file with --overwrite.',
})

const WITH_CA =
  "if the gateway's certificate is self-signed or from a private authority, get that certificate (PEM) from the operator and pass it with --ca FILE."
const OTHER_CA =
  "the --ca file does not hold the authority of the gateway's certificate: get that certificate (PEM) from the operator."

const tlsSteps = (url: UrlOption): Record<Exclude<TlsFault, 'untrusted'>, string> => ({
  'other-host': `use a host name of the certificate in ${url}, or ask the operator for a certificate for this host.`,
  'not-valid-now': "check this machine's clock; if it is right, tell the operator.",
  'no-tls': `check the port of ${url}, and whether it begins with http: or https:.`,
})

const count = new Intl.NumberFormat('en')
const size = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** A number for people: `1,200`. */
export function formatCount(number: number): string {
  return count.format(number)
}

/** A number with its noun: `1 row`, `1,200 rows`. */
export function countOf(number: number, one: string, many: string): string {
  return `${count.format(number)} ${number === 1 ? one : many}`
}

/** A number of bytes for people: `12.3 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const units = ['bytes', 'kB', 'MB', 'GB']
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3))
  return `${size.format(bytes / 1000 ** power)} ${units[power]}`
}

/** What agreed in a report whose rows the client counts. */
const PROOFS: Readonly<Record<Proof, string>> = {
  trailers: 'digest and row count agree',
  manifest: 'digest and row count agree with the manifest',
  rows: 'the row count agrees with the manifest',
  none: 'this gateway does not prove that a report is complete',
}

/** What agreed in another report. */
const DIGEST_PROOFS: Readonly<Record<Proof, string>> = {
  ...PROOFS,
  trailers: 'the digest agrees',
  manifest: 'the digest agrees with the manifest',
}

/** Describes a complete report. */
export function describeReceived(received: Received): string {
  const { file, rows, bytes, replaced, sha256, seconds, newestRow, runId } = received
  const { proof, contentType } = received
  const verb =
    file === '-' ? (proof === 'none' ? 'Received' : 'Complete') : `Saved ${printable(file)}`
  const counted = rows === undefined ? '' : `${countOf(rows, 'row', 'rows')}, `
  const amount = `${counted}${formatBytes(bytes)} in ${seconds.toFixed(2)} s`
  const run = runId === undefined ? '' : `run ${printable(runId)}\n`
  const proofs = countsRows(contentType) ? PROOFS : DIGEST_PROOFS
  return `${verb}: ${amount}; ${proofs[proof]}.\nsha256 ${sha256}\n${run}${describeReplaced(replaced)}${describeNewest(newestRow)}`
}

function describeReplaced(replaced: number): string {
  if (replaced === 0) return ''
  if (replaced === 1) {
    return 'The encoding lacks 1 character of the report: it became a question mark.\n'
  }
  return `The encoding lacks ${count.format(replaced)} characters of the report: each became a question mark.\n`
}

function describeNewest(newestRow: string | undefined): string {
  if (newestRow === undefined) return ''
  if (newestRow === 'none') return 'The ledger has no row for your login yet.\n'
  return `The ledger's newest row for your login is from ${printable(newestRow)}.\n`
}

const UNKNOWN_RUN = 'check the RUN: counterfoil runs lists yours.'

/** What a command knows about a failure beside its error. */
export interface Circumstances {
  readonly url: UrlOption
  /** What the failure left behind, as a sentence. */
  readonly state: string | undefined
  /** What to do next, if the command found it out. */
  readonly advice?: string | undefined
  /** Whether the command line has `--ca`. */
  readonly hasCa: boolean
}

/** Describes a failure: what happened, what it left behind, and what to do next. */
export function describeError(error: CounterfoilError, circumstances: Circumstances): string {
  const { state } = circumstances
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
    `Next: ${nextStep(error, circumstances)}`,
    ...(isIdShown ? [] : [`Request id: ${requestId}`]),
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

function nextStep(error: CounterfoilError, { url, advice, hasCa }: Circumstances): string {
  if (advice !== undefined) return `${advice}.`
  const fault = tlsFaultOf(error.cause)
  if (fault === 'untrusted') return hasCa ? OTHER_CA : WITH_CA
  if (fault !== undefined) return tlsSteps(url)[fault]
  if (error.code === 'busy' && error.retryAfterSeconds !== undefined) {
    const { retryAfterSeconds } = error
    const seconds = retryAfterSeconds === 1 ? 'second' : 'seconds'
    return `wait ${retryAfterSeconds} ${seconds}, then retry.`
  }
  if (error.code === 'report-refused' && error.problem.code === 'unknown-run') return UNKNOWN_RUN
  if (error.code === 'report-refused' && error.problem.status === 404) {
    const hint = url === '--api-url' ? '; a production gateway has no operations' : ''
    return `check the path of ${url}${hint}.`
  }
  if (hasGatewayFailed(error)) return 'tell the operator the request id.'
  const step = adviceOf(error, url)
  return step === undefined ? nextSteps(url)[error.code] : `${step}.`
}

function hasGatewayFailed(error: CounterfoilError): boolean {
  if (error.code === 'operation-refused') return error.answer.type === 'error'
  return error.code === 'report-refused' && error.problem.status >= 500
}

function adviceOf(error: CounterfoilError, url: UrlOption): string | undefined {
  if (error.code === 'not-authorised') return adviseRefusal(error)
  if (error.code === 'digest-mismatch' && error.of === 'rows') return 'tell the operator'
  return error.code === 'report-refused' && url === '--endpoint' ? adviseProblem(error) : undefined
}

/** Describes a wrong command line or file without values that may be card numbers. It cuts a long text of a file. */
export function describeUsage(message: string): string {
  const { length } = message
  const shown = length > USAGE_LENGTH_MAX ? `${message.slice(0, USAGE_LENGTH_MAX)}…\n` : message
  const text = shown.replace(/^error: /, '').replace(/'(--[^'= ]+)=.*'/s, "'$1'")
  return printable(`counterfoil: ${text.replaceAll(/\d{12,19}/g, '…')}`)
}

/** A failure as `--json` prints it. */
export function errorAsJson(error: CounterfoilError): Record<string, unknown> {
  const { name: _, message, ...fields } = error
  return { ok: false, message, ...fields }
}

/** Replaces control characters, so that no text of the gateway can control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, '\u{FFFD}')
}

/** Replaces line ends too, so that no value can look like a line of the command. */
export function printableLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
}
