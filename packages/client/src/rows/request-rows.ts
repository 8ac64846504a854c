import type { CatalogueReport, ReportRequest } from '@counterfoil/protocol'
import { DigestMismatch } from '../errors/counterfoil-error.ts'
import { parseMediaType } from '../report/media-type.ts'
import type { OpenReport, ReportOutcome } from '../report/report.ts'
import type { ReportOptions } from '../report/report-options.ts'
import { planRows } from './plan-rows.ts'
import { readRowBatches } from './read-rows.ts'
import type { Row } from './row.ts'
import { RowIterator } from './row-iterator.ts'

/** The requests to a gateway that rows need. */
export interface RowRequests {
  /** Returns the report in the catalogue. Undefined if the gateway has no catalogue, or no such report. */
  readonly describe: () => Promise<CatalogueReport | undefined>
  readonly open: (request: ReportRequest) => Promise<OpenReport>
}

/** Requests a report, and iterates over its rows. The first `next` sends the requests. */
export function requestRows(
  requests: RowRequests,
  report: string,
  options: ReportOptions,
): AsyncIterableIterator<Row, undefined, void> {
  return new RowIterator(requestBatches(requests, report, options))
}

async function* requestBatches(
  { describe, open }: RowRequests,
  report: string,
  options: ReportOptions,
): AsyncGenerator<readonly Row[], void, void> {
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
    for await (const batch of readRowBatches(proved(), sent, head.runId)) {
      count += batch.length
      yield batch
    }
  } finally {
    cancel()
  }
  if (outcome?.rows !== undefined && outcome.rows !== count) {
    const message = `the gateway sent ${outcome.rows} rows, but ${count} arrived`
    throw new DigestMismatch(message, 'rows', { requestId: head.runId })
  }
}
