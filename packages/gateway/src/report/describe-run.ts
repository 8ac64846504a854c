import {
  type ControlTotal,
  holdsCardNumber,
  type ReportRequest,
  type Run,
} from '@counterfoil/protocol'
import { LIMITS, withoutCardNumber } from '@counterfoil/common'
import type { ReportEnd, ReportStream } from '../outcome/outcome.ts'
import type { Envelope } from './envelope.ts'
import { schemaHashOf } from './content.ts'
import type { PreparedReport } from './prepare-report.ts'

type StartedReport = Omit<ReportStream, 'onEnd'>

interface RunFacts {
  readonly runId: string
  readonly viewSession: string | undefined
  readonly startedAt: number
  readonly endedAt: number
}

/** Describes a run that has ended. A name of the report that holds a card number is left out. */
export function describeRun(
  { viewer, envelope, report, input }: PreparedReport,
  started: StartedReport,
  end: ReportEnd,
  { runId, viewSession, startedAt, endedAt }: RunFacts,
): Run {
  const { login, role, sees } = viewer
  const request = recordedRequest(envelope)
  const { timezone, ...parameters } = input
  const { changedSince } = parameters
  return {
    runId,
    login,
    ...(viewSession !== undefined && { viewSession }),
    reportIdentifier: envelope.reportIdentifier,
    reportName: withoutCardNumber(envelope.reportName),
    outcome: end.outcome,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    durationMs: endedAt - startedAt,
    // The parameters of such a request are as long, or hold the same number.
    ...(request && { request, parameters }),
    timezone: String(timezone),
    scope: { role, sees },
    ...(end.outcome === 'complete' && completeMembers(started, end)),
    schemaHash: schemaHashOf(report.template, role),
    newestRow: started.newestRow,
    ...(started.syncedAt !== undefined && { syncedAt: started.syncedAt }),
    ...(typeof changedSince === 'string' && { changedSince }),
    ...(started.cursor !== undefined && { cursor: started.cursor }),
  }
}

function completeMembers(
  { fileName, contentType, controlTotals }: StartedReport,
  { bytes, totals, contentCoding }: Extract<ReportEnd, { outcome: 'complete' }>,
): Pick<Run, 'file' | 'controlTotals'> {
  const { rows, replaced, sha256 } = totals
  return {
    file: {
      name: withoutCardNumber(fileName),
      contentType,
      ...(contentCoding !== undefined && { contentCoding }),
      rows,
      bytes,
      replaced,
      sha256,
    },
    ...(controlTotals && areShort(controlTotals) && { controlTotals: [...controlTotals] }),
  }
}

/** Returns the request for the record, unless it is very long or holds a card number. */
function recordedRequest(envelope: Envelope): ReportRequest | undefined {
  const { reportCsvDelimiter, ...others } = envelope
  const request = { ...others, ...(reportCsvDelimiter !== undefined && { reportCsvDelimiter }) }
  const json = JSON.stringify(request)
  if (json.length > LIMITS.recordedRequestLengthMax) return undefined
  // The letters of escapes such as \t would hide a card number whose groups a tab separates.
  return holdsCardNumber(json.replaceAll(/\\(?:u[\da-f]{4}|.)/g, ' ')) ? undefined : request
}

/** Whether a record has room for control totals. A caller chooses the titles of columns, and each total repeats one. */
export function areShort(totals: readonly ControlTotal[]): boolean {
  return Buffer.byteLength(JSON.stringify(totals)) <= LIMITS.recordedTotalsBytesMax
}
