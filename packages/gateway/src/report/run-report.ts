import type { Engine } from '../engine/engine.ts'
import type { ReportStream } from '../outcome.ts'
import type { Admission } from './admission.ts'
import { bindTimeZone } from './bind-time-zone.ts'
import { readCreatedDays } from './created-days.ts'
import { fileNameOf } from './file-name.ts'
import { holdPlace } from './hold-place.ts'
import type { NewestRows } from './newest-rows.ts'
import { planReport } from './plan.ts'
import type { PreparedReport } from './prepare-report.ts'
import { proveComplete } from './prove-complete.ts'
import { readScope } from './scope.ts'

/** The dependencies of `runReport`. */
export interface RunDependencies {
  readonly engine: Engine
  /** Decides which report runs next. */
  readonly admission: Admission
  /** Relays accepted operations. Resolves when the ledger has all of them. */
  readonly relayAccepted: () => Promise<void>
  readonly newestRows: NewestRows
  readonly now: () => number
}

/**
 * Runs a report: waits for a place, reads the viewer's scope, and starts the query. Resolves when the report's first
 * bytes arrive. When the stream ends, it frees the place and returns the totals.
 *
 * @param signal ends the report at any stage
 * @throws `invalid-filter`, the errors of the admission and the engine, or the signal's reason
 */
export async function runReport(
  dependencies: RunDependencies,
  prepared: PreparedReport,
  signal: AbortSignal,
): Promise<ReportStream> {
  const { engine } = dependencies
  const { viewer, report, envelope, format, values } = prepared
  const { template } = report
  const place = await dependencies.admission.enter(viewer.login, signal)
  try {
    const input = await bindTimeZone(values.input, engine)
    await dependencies.relayAccepted()
    const scope = await readScope(viewer, report, envelope.filters, engine, signal)
    const now = dependencies.now()
    const newestRow = await dependencies.newestRows.of(template.rows, viewer, signal)
    const createdDays = await readCreatedDays(template, input, engine, signal)
    const { contentType, head, query } = planReport(prepared, { input, scope, createdDays, now })
    const chunks = await engine.stream(query, signal)
    return {
      kind: 'report',
      contentType,
      fileName: fileNameOf(envelope.reportName, format.extension),
      newestRow,
      body: proveComplete(head, holdPlace(place, chunks, signal)),
    }
  } catch (error) {
    place.leave()
    throw error
  }
}
