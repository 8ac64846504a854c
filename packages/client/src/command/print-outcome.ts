import { adviseProblem, adviseRefusal } from './advise-error.ts'
import { ReportError, type ReportErrorCode } from '../report-error.ts'
import { type TlsFault, tlsFaultOf } from '../tls-fault.ts'
import type { Completeness } from '../verify-body.ts'

/** A report that came whole: where it went, and how long it took. */
export interface Received extends Completeness {
  /** `-` where it went to standard output. */
  readonly file: string
  readonly requestId: string | undefined
  readonly newestRow: string | undefined
  readonly seconds: number
}

/** The option of a command that holds the URL it sends to. */
export type UrlOption = '--endpoint' | '--api-url'

const nextSteps = (url: UrlOption): Record<ReportErrorCode, string> => ({
  settings: 'correct the setting; nothing was sent.',
  refused: `check the login, the key (is it this environment's?), host, port and path of ${url}, which are signed, and this machine's clock.`,
  problem: 'correct what was asked for.',
  busy: 'ask again later.',
  connection: `check ${url} and the network, then ask again.`,
  incomplete: 'ask again.',
  'digest-mismatch': 'ask again; if it happens again, tell the operator.',
  'rows-mismatch': 'tell the operator.',
  'unexpected-answer': `check that ${url} is the URL that the gateway's operator gave.`,
  file: 'choose another place with -o; --overwrite replaces a file that is already there.',
})

const WITH_CA =
  "if the gateway's certificate is self-signed or from a private authority, get that certificate (PEM) from the operator and name it with --ca FILE."
const OTHER_CA =
  "the file of --ca does not hold the authority of the gateway's certificate: get that certificate (PEM) from the operator."

const tlsSteps = (url: UrlOption): Record<Exclude<TlsFault, 'untrusted'>, string> => ({
  'other-host': `use a host name of the certificate in ${url}, or ask the operator for a certificate of this host.`,
  'not-valid-now': "check this machine's clock; if it is right, tell the operator.",
  'no-tls': `check the port of ${url}, and whether it begins with http: or https:.`,
})

const count = new Intl.NumberFormat('en')
const size = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** A number of bytes for people: `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB']
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3))
  return `${size.format(bytes / 1000 ** power)} ${units[power]}`
}

/** What is said of a report that came whole. */
export function describeReceived(received: Received): string {
  const { file, rows, bytes, sha256, seconds, newestRow } = received
  const verb = file === '-' ? 'Complete' : `Saved ${printable(file)}`
  const amount = `${count.format(rows)} rows, ${formatBytes(bytes)} in ${seconds.toFixed(2)} s`
  return `${verb}: ${amount}; digest and row count agree.\nsha256 ${sha256}\n${describeNewest(newestRow)}`
}

function describeNewest(newestRow: string | undefined): string {
  if (newestRow === undefined) return ''
  if (newestRow === 'none') return 'The ledger has no row for your login yet.\n'
  return `The ledger's newest row for your login is of ${printable(newestRow)}.\n`
}

/** What a command knows of a failure beside its error. */
export interface Circumstances {
  readonly url: UrlOption
  /** What there is now. */
  readonly state: string | undefined
  /** What to do about it, where the command found it out. */
  readonly advice?: string | undefined
  /** Whether `--ca` was given. */
  readonly hasCa: boolean
}

/** What is said of a failure: what happened, what there is now, and what to do next. */
export function describeError(error: ReportError, circumstances: Circumstances): string {
  const { state } = circumstances
  const { code, message, refusal, problem, requestId } = error
  // One fault alone is the problem's own message.
  const faults = problem?.errors?.filter(({ expected }) => !message.includes(expected)) ?? []
  const isIdSaid = requestId === undefined || refusal?.includes(requestId)
  const lines = [
    `counterfoil: ${code}: ${message}`,
    ...(refusal === undefined ? [] : [refusal]),
    ...faults.map(({ pointer, expected }) => `  ${pointer || 'body'}: ${expected}`),
    ...(state === undefined ? [] : [state]),
    `Next: ${nextStep(error, circumstances)}`,
    ...(isIdSaid ? [] : [`Request id: ${requestId}`]),
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

function nextStep(error: ReportError, { url, advice, hasCa }: Circumstances): string {
  const { code, problem, answer, retryAfterSeconds } = error
  if (advice !== undefined) return `${advice}.`
  const fault = tlsFaultOf(error.cause)
  if (fault === 'untrusted') return hasCa ? OTHER_CA : WITH_CA
  if (fault !== undefined) return tlsSteps(url)[fault]
  if (retryAfterSeconds !== undefined) {
    const seconds = retryAfterSeconds === 1 ? 'second' : 'seconds'
    return `wait ${retryAfterSeconds} ${seconds}, then ask again.`
  }
  if (problem?.status === 404) {
    const hint = url === '--api-url' ? '; a production gateway has no operations' : ''
    return `check the path of ${url}${hint}.`
  }
  if ((code === 'problem' && answer?.type === 'error') || (problem && problem.status >= 500))
    return 'tell the operator the request id.'
  const found = code === 'refused' ? adviseRefusal(error) : adviseProblem(error)
  if (found !== undefined && (code === 'refused' || url === '--endpoint')) return `${found}.`
  return nextSteps(url)[code]
}

/** What is said of a wrong command line, without a value where none belongs: it may be a card's number. */
export function describeUsage(message: string): string {
  const words = message.replace(/^error: /, '').replace(/'(--[^'= ]+)=.*'/s, "'$1'")
  return printable(`counterfoil: ${words.replaceAll(/\d{12,19}/g, '…')}`)
}

/** A failure as it is printed for programs. */
export function errorAsJson(error: ReportError): Record<string, unknown> {
  const { code, message, refusal, problem, requestId, retryAfterSeconds } = error
  return { ok: false, code, message, requestId, retryAfterSeconds, refusal, problem }
}

/** Without what a terminal would obey: what the gateway sends is printed, never carried out. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, '\u{FFFD}')
}
