import type { CatalogueReport, ReportRequest } from '@counterfoil/protocol'
import { DigestMismatch, InvalidSettings } from '../errors/counterfoil-error.ts'
import { parseMediaType } from '../report/media-type.ts'
import type { OpenReport, ReportOutcome } from '../report/report.ts'
import { type ReportOptions, toReportRequest } from '../report/report-options.ts'
import { readBatches, type RowForm } from './read-rows.ts'
import type { Row, RowColumn } from './row.ts'

/** The requests to a gateway that rows need. */
export interface RowRequests {
  /** Returns the report in the catalogue. Undefined if the gateway has no catalogue, or no such report. */
  readonly describe: () => Promise<CatalogueReport | undefined>
  readonly open: (request: ReportRequest) => Promise<OpenReport>
}

/** Requests a report, and iterates over its rows. The first `next` sends the requests. */
export async function* requestRows(
  { describe, open }: RowRequests,
  report: string,
  options: ReportOptions,
): AsyncGenerator<Row, undefined, void> {
  const { request, form } = planRows(report, options, await describe())
  const { head, chunks, cancel } = await open(request)
  const { parameters } = parseMediaType(head.contentType) ?? {}
  const charset = parameters?.get('charset') ?? 'utf-8'
  let outcome: ReportOutcome | undefined
  async function* proved() {
    outcome = yield* chunks
  }
  let count = 0
  try {
    const sent = form.format === 'JSONL' ? form : { ...form, charset }
    for await (const batch of readBatches(proved(), sent, head.runId)) {
      count += batch.length
      for (const row of batch) yield row
    }
  } finally {
    cancel()
  }
  if (outcome?.rows !== undefined && outcome.rows !== count) {
    const message = `the gateway sent ${outcome.rows} rows, but ${count} arrived`
    throw new DigestMismatch(message, 'rows', { requestId: head.runId })
  }
}

/** A request for rows, and the form in which they come. */
interface RowsPlan {
  readonly request: ReportRequest
  readonly form: RowForm
}

/** `rows` sets these itself. */
const OWN_OPTIONS = ['format', 'encoding', 'delimiter', 'configuration'] as const

/**
 * Decides how to ask for rows. JSON lines tell a missing value from an empty text, and their times have an offset. A
 * report without JSON lines comes as CSV.
 *
 * @param described The report in the catalogue. Undefined if the gateway has no catalogue: then the request names no
 * format, because only the default is sure to exist.
 * @throws {InvalidSettings} If the report has no format that holds the rows exactly.
 */
function planRows(
  report: string,
  options: ReportOptions,
  described: Pick<CatalogueReport, 'formats' | 'columns'> | undefined,
): RowsPlan {
  const own = OWN_OPTIONS.find((name) => options[name] !== undefined)
  if (own) throw new InvalidSettings(`${own}: rows() sets it itself; leave it out, or use report()`)
  if (!described) return { request: toReportRequest(report, options), form: {} }

  const { formats } = described
  const columns = columnsOf(described, options)
  if (formats.includes('JSONL')) {
    const request = toReportRequest(report, { ...options, format: 'JSONL' })
    return { request, form: { format: 'JSONL', columns } }
  }
  if (!formats.includes('CSV')) {
    throw new InvalidSettings(
      `${report}: expected a report as JSONL or CSV, got ${formats.join(', ')}`,
    )
  }
  const { timezone = 'UTC' } = options
  if (timezone !== 'UTC' && columns.some(({ kind }) => kind === 'time')) {
    const reason = `${report} comes as CSV, whose times have no offset`
    throw new InvalidSettings(`timezone: ${reason}; leave it out, or use report()`)
  }
  const configuration = { dateFormat: 'ISO', decimals: '0' }
  return { request: toReportRequest(report, { ...options, configuration }), form: { columns } }
}

function columnsOf(
  { columns }: Pick<CatalogueReport, 'columns'>,
  { columns: chosen = [] }: ReportOptions,
): readonly RowColumn[] {
  if (chosen.length === 0) {
    return columns
      .filter(({ optional }) => !optional)
      .map(({ name, kind }) => ({ title: name, kind }))
  }
  const kinds = new Map(columns.map(({ name, kind }) => [name, kind]))
  return chosen.map((column) => {
    const { name, title } = typeof column === 'string' ? { name: column, title: column } : column
    // The gateway refuses a column that it does not have.
    return { title: title || name, kind: kinds.get(name) ?? 'text' }
  })
}
