import type { ControlTotal } from '@counterfoil/protocol'
import * as z from 'zod'
import { type EngineChunk, type Queries, readRows } from '@counterfoil/engine'
import { type FairQueue, type Leave, LIMITS, unlessAborted } from '@counterfoil/common'
import { type LedgerChanges, readRevision } from '@counterfoil/ledger'
import type { ReportStream } from '../outcome/outcome.ts'
import { readControlTotals } from './control-totals.ts'
import { changesOf } from './changes.ts'
import { readCreatedDays } from './created-days.ts'
import { fileNameOf } from './file-name.ts'
import type { NewestRows } from './newest-rows.ts'
import type { FilePlan, FormatSettings } from '@counterfoil/formats'
import { planReport, type ReportPlan } from './plan.ts'
import type { ParameterValues } from './parameters.ts'
import type { PreparedReport } from './prepare-report.ts'
import { proveComplete } from './prove-complete.ts'
import { requireSynced } from './require-synced.ts'
import { readScope } from './scope.ts'

/** A report whose first bytes have arrived. */
export type StartedReport = Omit<ReportStream, 'onEnd'>

/** A report that holds its place. */
export interface RunningReport extends StartedReport {
  /** Frees the place of the report. Call it when the reader has the last byte, or has left. */
  readonly leave: Leave
}

/** The dependencies of `runReport`. */
export interface RunDependencies {
  readonly engine: Queries
  /** Keeps a report from seeing a part of a change. */
  readonly ledgerChanges: LedgerChanges
  /** Decides whose report runs next. */
  readonly engineQueue: FairQueue
  /** Relays accepted operations. Resolves when the ledger has all of them. */
  readonly relayAccepted: () => Promise<void>
  readonly newestRows: NewestRows
  /** Reads how far the syncs go. Undefined if the gateway has none. */
  readonly syncedAt: () => Promise<string | undefined>
  /** See `requireSynced`. */
  readonly lagMinutes?: number | undefined
  /** The operator's settings of formats. */
  readonly formatSettings?: FormatSettings
  readonly now: () => number
}

/**
 * Runs a report: waits for a place, reads the viewer's scope, and starts the query. Resolves when the report's first
 * bytes arrive. The stream returns the totals.
 *
 * @param runId identifies the run, in the file too
 * @param signal ends the report at any stage
 * @throws `invalid-filter`, the errors of the queue and the engine, or the signal's reason
 */
export async function runReport(
  dependencies: RunDependencies,
  prepared: PreparedReport,
  runId: string,
  signal: AbortSignal,
): Promise<RunningReport> {
  const { envelope, format, viewer, values } = prepared
  const period = { parameters: values.input, timezone: String(values.input['timezone']) }
  const { engineQueue, ledgerChanges } = dependencies
  const leaveQueue = await engineQueue.enter(viewer.login, signal)
  const leaveLedger = ledgerChanges.enter()
  const leave = (): void => {
    leaveQueue()
    leaveLedger()
  }
  try {
    await unlessAborted(dependencies.relayAccepted(), signal)
    // Before the rows, so that the time is never too late.
    const syncedAt = await dependencies.syncedAt()
    const { lagMinutes, now } = dependencies
    requireSynced(values, { lagMinutes, syncedAt, now: now() })
    const { file, controlTotals, newestRow, cursor, chunks } = await ledgerChanges.read(
      signal,
      (attempt, onPlanned) => startQuery(dependencies, prepared, runId, attempt, onPlanned),
    )
    return {
      kind: 'report',
      contentType: file.contentType,
      fileName: fileNameOf(envelope.reportName, format.extension, period),
      timezone: String(prepared.values.input['timezone']),
      newestRow,
      syncedAt,
      ...(cursor !== undefined && { cursor }),
      ...(controlTotals && { controlTotals }),
      body: proveComplete(file.write(chunks)),
      leave,
    }
  } catch (error) {
    leave()
    throw error
  }
}

/** A report whose query runs. */
interface StartedQuery {
  readonly file: FilePlan
  readonly controlTotals: readonly ControlTotal[] | undefined
  readonly newestRow: string
  readonly cursor: string | undefined
  readonly chunks: AsyncGenerator<EngineChunk, void>
}

/** Reads what the report's query depends on, and starts the query. */
async function startQuery(
  { engine, ledgerChanges, newestRows, now, formatSettings }: RunDependencies,
  prepared: PreparedReport,
  runId: string,
  signal: AbortSignal,
  onPlanned: () => void,
): Promise<StartedQuery> {
  const { viewer, report, envelope, values, format } = prepared
  const { template } = report
  const input = await bindTimeZone(values.input, engine, signal)
  const scope = await readScope(viewer, report, envelope.filters, engine, signal)
  const time = now()
  const changes = changesOf(prepared, ledgerChanges)
  const newestRow = await newestRows.of(template.rows, viewer, signal)
  const createdDays = await readCreatedDays(template, input, engine, signal)
  const exponents = format.needsExponents && (await readExponents(engine, signal))
  const read = { input, scope, createdDays, changes, exponents }
  const plan = planReport(prepared, { ...read, formatSettings, now: time, runId })
  const { file, before } = plan
  for (const first of before) await first.read(await engine.stream(first.query, signal))
  const titles = prepared.content.columns.map(({ title }) => title)
  const streams = await streamWithTotals(engine, plan, titles, signal, onPlanned)
  return { file, newestRow, cursor: changes?.cursor, ...streams }
}

/** Loads the rules of a report's time zone into the engine. Binds `{timezone:String}` to its name there. */
async function bindTimeZone(
  input: ParameterValues,
  engine: Pick<Queries, 'loadTimeZone'>,
  signal: AbortSignal,
): Promise<ParameterValues> {
  const timezoneName = String(input['timezone'])
  const timezone = await unlessAborted(engine.loadTimeZone(timezoneName), signal)
  return { ...input, timezone, timezoneName }
}

const exponentRow = z.object({ currency: z.string(), exponent: z.number() })

/** Reads how many fraction digits each currency of the ledger has. */
async function readExponents(engine: Pick<Queries, 'stream'>, signal: AbortSignal) {
  const sql = 'SELECT currency, exponent FROM currencies FINAL ORDER BY currency'
  const rows = await readRows(engine, exponentRow, { sql, parameters: {} }, signal)
  return new Map(rows.map(({ currency, exponent }) => [currency, exponent]))
}

/**
 * Starts the query of a report, after the query of its control totals. If the ledger changes between the two, both run
 * again. If it does so at each attempt, the report has no control totals.
 */
async function streamWithTotals(
  engine: Queries,
  { query, totals }: ReportPlan,
  titles: readonly string[],
  signal: AbortSignal,
  onPlanned: () => void,
): Promise<Pick<StartedQuery, 'chunks' | 'controlTotals'>> {
  for (let attempt = 1; ; attempt += 1) {
    const revision = totals && (await readRevision(engine, signal))
    const controlTotals =
      totals && revision !== undefined
        ? await readControlTotals(engine, totals, titles, signal)
        : undefined
    const outdated = new AbortController()
    const attempted = AbortSignal.any([signal, outdated.signal])
    const chunks = await engine.stream(query, attempted, onPlanned)
    if (!controlTotals) return { chunks, controlTotals }
    if ((await readRevision(engine, signal)) === revision) return { chunks, controlTotals }
    if (attempt === LIMITS.controlTotalsAttemptsMax) return { chunks, controlTotals: undefined }
    outdated.abort()
  }
}
