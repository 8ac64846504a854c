import { countsRows, type Proof, type ReportOutcome } from '@counterfoil/client'
import { countOf, formatBytes, printable } from './text.ts'

/** A complete report: where it went, and how long it took. */
interface Received extends ReportOutcome {
  /** `-` for standard output. */
  readonly file: string
  readonly runId: string | undefined
  readonly newestRow: string | undefined
  readonly contentType: string
  readonly seconds: number
}

/** What agreed with what the gateway says. */
const PROOFS: Readonly<Record<Proof, (what: string) => string>> = {
  trailers: (what) => what,
  manifest: (what) => `${what} with the manifest`,
  rows: () => 'the row count agrees with the manifest',
  none: () => 'this gateway does not prove that a report is complete',
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
  const agreed = countsRows(contentType) ? 'digest and row count agree' : 'the digest agrees'
  return `${verb}: ${amount}; ${PROOFS[proof](agreed)}.\nsha256 ${sha256}\n${run}${describeReplaced(replaced)}${describeNewest(newestRow)}`
}

function describeReplaced(replaced: number): string {
  if (replaced === 0) return ''
  const characters = countOf(replaced, 'character', 'characters')
  return `The encoding lacks ${characters} of the report, written as question marks.\n`
}

function describeNewest(newestRow: string | undefined): string {
  if (newestRow === undefined) return ''
  if (newestRow === 'none') return 'The ledger has no row for your login yet.\n'
  return `The ledger's newest row for your login is from ${printable(newestRow)}.\n`
}
