import type { ReportRequest } from '@counterfoil/protocol'
import type { ControlTotal } from '../outcome.ts'
import type { Role } from '../store/store.ts'

/** How a run ended. `cut`: the caller left or was too slow. `failed`: the gateway or the engine failed. */
export type RunOutcome = 'complete' | 'cut' | 'failed'

/**
 * The record of a run: a report that began. The record of a complete run is the manifest of its file
 * (docs/protocol.md, "Runs"). Times are instants in UTC, as in RFC 3339.
 */
export interface Run {
  /** The id of the request, which the reply had in `Counterfoil-Request-Id`. */
  readonly runId: string
  readonly login: string
  readonly reportIdentifier: string
  readonly reportName: string
  readonly outcome: RunOutcome
  readonly startedAt: string
  readonly endedAt: string
  readonly durationMs: number
  /** The request with its default values. It is missing if it is very long or holds a card number. */
  readonly request?: ReportRequest
  /** The values of the report's parameters, if the record has the request. Instants are in UTC. */
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly timezone: string
  /** What the login could see. An operator sees everything. */
  readonly scope: { readonly role: Role; readonly sees: readonly string[] }
  /** The file that was sent, if the run is complete. */
  readonly file?: RunFile
  /** The sums of the file's amounts, if the run is complete and has not too many currencies. */
  readonly controlTotals?: readonly ControlTotal[]
  /** The hash of the report's columns for this role, as in the catalogue. */
  readonly schemaHash: string
  /** The time of the newest row that the login could see, or `none`. */
  readonly newestRow: string
  /** The cursor of the request: the file has the rows that the ledger received after it. */
  readonly changedSince?: string
  /** The `changedSince` of the next run, if the report takes it. */
  readonly cursor?: string
}

/** The file of a run. */
export interface RunFile {
  readonly name: string
  readonly contentType: string
  /** The coding of the bytes that were sent, such as `gzip`. */
  readonly contentCoding?: string
  readonly rows: number
  /** The bytes that were sent. */
  readonly bytes: number
  /** How many characters became `?`, because the file's encoding lacks them. */
  readonly replaced: number
  /** The digest of the bytes that were sent, in base64. */
  readonly sha256: string
}
