import { createHash } from 'node:crypto'
import * as z from 'zod'
import { type FairQueue, GatewayError, LIMITS, Turn, unlessAborted } from '@counterfoil/common'
import { type Queries, readRows } from '@counterfoil/engine'
import type { FilePiece, FormatSettings } from '@counterfoil/formats'
import { type LedgerChanges, readRevision } from '@counterfoil/ledger'
import type { Catalogue } from '@counterfoil/templates'
import { answerCaller, type Identify } from '../authenticate/authenticate.ts'
import type {
  Outcome,
  ReceivedRequest,
  ReportEnd,
  ReportStream,
  ReportTotals,
} from '../outcome/outcome.ts'
import type { RunRecorder } from '../runs/run-recorder.ts'
import { changesOf } from './changes.ts'
import { readControlTotals } from './control-totals.ts'
import { readCreatedDays } from './created-days.ts'
import { describeRun } from './describe-run.ts'
import { type Envelope, parseEnvelope } from './envelope.ts'
import { fileNameOf } from './file-name.ts'
import type { NewestRows } from './newest-rows.ts'
import { instantOf, type ParameterValues } from './parameters.ts'
import { planReport, type ReportPlan } from './plan.ts'
import { type PreparedReport, prepareReport } from './prepare-report.ts'
import { readScope } from './scope.ts'

export interface ReportDependencies extends RunDependencies {
  readonly identify: Identify
  readonly catalogue: () => Catalogue
  /** The time zone of logins that have none. */
  readonly timezone: string
  readonly recorder: Pick<RunRecorder, 'begin'>
  /** Decides whose large body the main thread reads next. */
  readonly threadQueue: FairQueue
}

interface RunDependencies {
  readonly engine: Queries
  /** Keeps a report from seeing a part of a change. */
  readonly ledgerChanges: LedgerChanges
  readonly engineQueue: FairQueue
  /** Relays accepted operations. Resolves when the ledger has all of them. */
  readonly relayAccepted: () => Promise<void>
  readonly newestRows: NewestRows
  /** Reads how far the syncs go, or `none`. Undefined if the gateway has none. */
  readonly syncedAt: () => Promise<string | undefined>
  readonly lagMinutes?: number | undefined
  readonly formatSettings?: FormatSettings
  readonly now: () => number
}

/**
 * Handles a report request, from its raw bytes to the report's first bytes. `identify` refuses callers,
 * `prepareReport` refuses faulty requests, and `runReport` refuses reports that cannot run. Each refusal is returned as
 * an outcome.
 */
export async function handleReport(
  dependencies: ReportDependencies,
  request: ReceivedRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  const { identify, catalogue, threadQueue, recorder, now } = dependencies
  const startedAt = now()
  return await answerCaller(identify, request, signal, async ({ login, viewSession }) => {
    const { name, role, sees, timezone = dependencies.timezone } = login
    const parse = (): Envelope => parseEnvelope(request.body)
    const isLarge = request.body.length > LIMITS.largeRequestBytesMin
    const envelope = isLarge ? await threadQueue.run(name, parse, signal) : parse()
    request.releaseBody?.()
    const viewer = { login: name, role, sees, timezone }
    const prepared = prepareReport(catalogue(), viewer, envelope, request.note)
    const runId = request.requestId
    const { leave, ...report } = await runReport(dependencies, prepared, runId, signal)
    const record = recorder.begin(runId, name)
    const onEnd = (end: ReportEnd): void => {
      leave()
      const run = { runId, viewSession, startedAt, endedAt: now() }
      record(describeRun(prepared, report, end, run))
    }
    return { ...report, onEnd }
  })
}

interface StartedReport extends Omit<ReportStream, 'onEnd'> {
  /** Frees the place of the report. Call it when the reader has the last byte, or has left. */
  readonly leave: () => void
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
): Promise<StartedReport> {
  const { envelope, format, viewer, input } = prepared
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
    requireSynced(input, syncedAt, dependencies)
    const { file, controlTotals, newestRow, cursor, chunks } = await ledgerChanges.read(
      signal,
      (attempt, onPlanned) => startQuery(dependencies, prepared, runId, attempt, onPlanned),
    )
    const timezone = String(input['timezone'])
    return {
      kind: 'report',
      contentType: file.contentType,
      fileName: fileNameOf(envelope.reportName, format.extension, { parameters: input, timezone }),
      timezone,
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

/** Refuses a report if the syncs have not reached the end of its period or, if that goes on, the last minutes. */
function requireSynced(
  input: ParameterValues,
  syncedAt: string | undefined,
  { lagMinutes, now }: Pick<RunDependencies, 'lagMinutes' | 'now'>,
): void {
  if (lagMinutes === undefined || syncedAt === undefined) return
  const end = instantOf(input['dateTo']) ?? Infinity
  const needed = end <= now() ? end : now() - lagMinutes * 60_000
  if (syncedAt !== 'none' && Date.parse(syncedAt) >= needed) return
  const lack = `The data goes to ${syncedAt}, and this report needs it to ${new Date(needed).toISOString()}.`
  throw new GatewayError('not-synced', `${lack} Retry later.`)
}

/** Reads what the report's query depends on, and starts the query. */
async function startQuery(
  { engine, ledgerChanges, newestRows, now, formatSettings }: RunDependencies,
  prepared: PreparedReport,
  runId: string,
  signal: AbortSignal,
  onPlanned: () => void,
) {
  const { viewer, report, envelope, format } = prepared
  const { template } = report
  // The engine has Node's rules of the time zone under a name of its own.
  const timezoneName = String(prepared.input['timezone'])
  const timezone = await unlessAborted(engine.loadTimeZone(timezoneName), signal)
  const input = { ...prepared.input, timezone, timezoneName }
  const scope = await readScope(viewer, report, envelope.filters, engine, signal)
  const time = now()
  const changes = changesOf(template, envelope, input, viewer.role, ledgerChanges)
  const newestRow = await newestRows.of(template.rows, viewer, signal)
  const createdDays = await readCreatedDays(template, input, engine, signal)
  const exponents = format.needsExponents && (await readExponents(engine, signal))
  const read = { input, scope, createdDays, changes, exponents }
  const plan = planReport(prepared, { ...read, formatSettings, now: time, runId })
  const { file, check } = plan
  if (check) await check.read(await engine.stream(check.query, signal))
  const titles = prepared.content.columns.map(({ title }) => title)
  const streams = await streamWithTotals(engine, plan, titles, signal, onPlanned)
  return { file, newestRow, cursor: changes?.cursor, ...streams }
}

const exponentRow = z.object({ currency: z.string(), exponent: z.number() })

async function readExponents(engine: Queries, signal: AbortSignal) {
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
) {
  const streamAlone = async () => {
    return { chunks: await engine.stream(query, signal, onPlanned), controlTotals: undefined }
  }
  if (!totals) return await streamAlone()
  for (let attempt = 1; attempt <= LIMITS.controlTotalsAttemptsMax; attempt += 1) {
    const revision = await readRevision(engine, signal)
    if (revision === undefined) break
    const controlTotals = await readControlTotals(engine, totals, titles, signal)
    if (controlTotals === undefined) break
    const outdated = new AbortController()
    const attempted = AbortSignal.any([signal, outdated.signal])
    const chunks = await engine.stream(query, attempted, onPlanned)
    if ((await readRevision(engine, signal)) === revision) return { chunks, controlTotals }
    outdated.abort()
  }
  return await streamAlone()
}

/** Passes on the pieces of a report unchanged, and returns their digest and their counts. */
async function* proveComplete(
  pieces: AsyncIterable<FilePiece>,
): AsyncGenerator<Uint8Array, ReportTotals> {
  const digest = createHash('sha256')
  const turn = new Turn()
  let rows = 0
  let replaced = 0
  for await (const piece of pieces) {
    for await (const slice of turn.slicesOf(piece.bytes)) digest.update(slice)
    rows += piece.rows
    replaced += piece.replaced ?? 0
    yield piece.bytes
  }
  return { rows, replaced, sha256: digest.digest('base64') }
}
