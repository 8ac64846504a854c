import { countsRows, type Proof, type ReportOutcome } from '@counterfoil/client'
import { countOf, formatBytes, formatCount, printable } from './text.ts'

/** A complete report: where it went, and how long it took. */
interface Received extends ReportOutcome {
  /** `-` for standard output. */
  readonly file: string
  readonly runId: string | undefined
  readonly newestRow: string | undefined
  readonly contentType: string
  readonly seconds: number
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
  return `The encoding lacks ${formatCount(replaced)} characters of the report: each became a question mark.\n`
}

function describeNewest(newestRow: string | undefined): string {
  if (newestRow === undefined) return ''
  if (newestRow === 'none') return 'The ledger has no row for your login yet.\n'
  return `The ledger's newest row for your login is from ${printable(newestRow)}.\n`
}
