import type { ControlTotal, ReportRequest } from '@counterfoil/protocol'
import type { Queries } from '../../../engine/src/engine/engine.ts'
import { FairQueue } from '../../../common/src/fair-queue.ts'
import { LedgerChanges } from '../../../ledger/src/changes/ledger-changes.ts'
import { parseEnvelope } from '../../src/report/envelope.ts'
import { runReport } from '../../src/report/handle-report.ts'
import { NewestRows } from '../../src/report/newest-rows.ts'
import { type PreparedReport, prepareReport, type Viewer } from '../../src/report/prepare-report.ts'
import type { Catalogue } from '../../../templates/src/template/load-templates.ts'

/** The data of a report. */
export interface Source {
  readonly engine: Queries
  readonly ledgerChanges?: LedgerChanges
  readonly catalogue: Catalogue
  /** The time of the request, in milliseconds since 1970. */
  readonly now: number
  readonly relayAccepted?: () => Promise<void>
  readonly signal?: AbortSignal
}

/** Prepares and runs a report as the gateway does after authentication. The rows are those of `scopedTo`. */
export async function runWithoutHttp(
  source: Source,
  viewer: Viewer,
  request: ReportRequest,
  scopedTo: Viewer = viewer,
): Promise<{
  readonly text: string
  readonly rows: number
  readonly cursor?: string
  readonly controlTotals?: readonly ControlTotal[]
}> {
  const { engine, catalogue, now, ledgerChanges = new LedgerChanges() } = source
  const { relayAccepted = async () => {}, signal = AbortSignal.timeout(60_000) } = source
  const prepared: PreparedReport = {
    ...prepareReport(catalogue, viewer, parseEnvelope(Buffer.from(JSON.stringify(request)))),
    viewer: scopedTo,
  }
  const dependencies = {
    engine,
    engineQueue: new FairQueue({
      places: 1,
      perLogin: 1,
      waitingMax: 0,
      waitMs: 1,
      busy: { code: 'engine-busy', message: '' },
    }),
    ledgerChanges,
    relayAccepted,
    newestRows: new NewestRows(engine, () => now),
    syncedAt: async () => undefined,
    now: () => now,
  }
  const { body, cursor, controlTotals, leave } = await runReport(
    dependencies,
    prepared,
    'run',
    signal,
  )
  let text = ''
  try {
    for (;;) {
      const next = await body.next()
      if (next.done) {
        return {
          text,
          rows: next.value.rows,
          ...(cursor !== undefined && { cursor }),
          ...(controlTotals && { controlTotals }),
        }
      }
      text += Buffer.from(next.value).toString('latin1')
    }
  } finally {
    leave()
  }
}
