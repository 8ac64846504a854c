import type { ReportRequest } from './report-request.ts'

/** The media type of a signed manifest: a JWS in its compact form (RFC 7515). */
export const JWS_MEDIA_TYPE = 'application/jose'

/** The record of one report: who asked for what, and what the gateway sent. It is also called the report's manifest. */
export interface Run {
  /** The id of the request, as in the header `Counterfoil-Request-Id`. */
  readonly runId: string
  readonly login: string
  /** The id of the view session, if a person without a key asked for the report. */
  readonly viewSession?: string
  readonly reportIdentifier: string
  readonly reportName: string
  /** `aborted`: the caller left or was too slow. `cut`: the gateway or the engine failed. */
  readonly outcome: 'complete' | 'aborted' | 'cut'
  readonly startedAt: string
  readonly endedAt: string
  readonly durationMs: number
  /** The request with its defaults. Missing if it is very long or holds a card number. */
  readonly request?: ReportRequest
  /** The parameters, with times in UTC. Missing if the request is. */
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly timezone: string
  /** What the login could see. An operator sees everything. */
  readonly scope: { readonly role: string; readonly sees: readonly string[] }
  /** The file. Present only if the report is complete. */
  readonly file?: RunFile
  /** The sums of each amount column and currency. Present only if the report is complete and has few currencies. */
  readonly controlTotals?: readonly ControlTotal[]
  readonly schemaHash: string
  /** When the newest row that the login may see was created, as in the header `Counterfoil-Newest-Row`. */
  readonly newestRow: string
  /** The cursor of the request. */
  readonly changedSince?: string
  /** The value of `changedSince` for the next request. The file has every change that the ledger received before. */
  readonly cursor?: string
}

/** The file of a complete run. */
export interface RunFile {
  readonly name: string
  readonly contentType: string
  readonly contentCoding?: string
  /** Data rows, without the header row. */
  readonly rows: number
  /** The bytes that were sent, and their SHA-256 in base64. With a content coding, these are the coded bytes. */
  readonly bytes: number
  readonly sha256: string
  /** Characters that the gateway wrote as `?`, because the report's encoding lacks them. */
  readonly replaced: number
}

/** The sum of a column's amounts of one currency. */
export interface ControlTotal {
  /** The title of the column in the file. */
  readonly column: string
  readonly currency: string
  /** How many rows have an amount of this currency in this column. */
  readonly amounts: number
  /** A decimal number. */
  readonly sum: string
}

/** A page of runs, the newest first. */
export interface RunPage {
  readonly runs: readonly Run[]
  /** The value of `before` for the next page. Absent on the last page. */
  readonly next?: string
}
