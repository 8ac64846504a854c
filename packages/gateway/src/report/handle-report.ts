import { answerCaller, type Identify } from '../authenticate/authenticate.ts'
import type { Outcome, ReceivedRequest, ReportEnd } from '../outcome/outcome.ts'
import { type FairQueue, LIMITS } from '@counterfoil/common'
import type { RunRecorder } from '../runs/run-recorder.ts'
import type { Catalogue } from '@counterfoil/templates'
import { describeRun } from './describe-run.ts'
import { type Envelope, parseEnvelope } from './envelope.ts'
import { prepareReport } from './prepare-report.ts'
import { type RunDependencies, runReport } from './run-report.ts'

/** The dependencies of `handleReport`. */
export interface ReportDependencies extends RunDependencies {
  readonly identify: Identify
  readonly catalogue: () => Catalogue
  /** The time zone of logins that have none. */
  readonly timezone: string
  /** Records the runs. */
  readonly recorder: Pick<RunRecorder, 'begin'>
  /** Decides whose large body the main thread reads next. */
  readonly threadQueue: FairQueue
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
  const startedAt = dependencies.now()
  return await answerCaller(dependencies.identify, request, signal, async (identity) => {
    const { viewSession } = identity
    const { name: login, role, sees, timezone = dependencies.timezone } = identity.login
    const parse = (): Envelope => parseEnvelope(request.body)
    const isLarge = request.body.length > LIMITS.largeRequestBytesMin
    const envelope = isLarge ? await dependencies.threadQueue.run(login, parse, signal) : parse()
    request.releaseBody?.()
    const viewer = { login, role, sees, timezone }
    const prepared = prepareReport(dependencies.catalogue(), viewer, envelope, (report, format) => {
      request.note({ report, format })
    })
    const { leave, ...report } = await runReport(dependencies, prepared, request.requestId, signal)
    const record = dependencies.recorder.begin(request.requestId, login)
    const onEnd = (end: ReportEnd): void => {
      leave()
      const times = { startedAt, endedAt: dependencies.now() }
      record(
        describeRun(prepared, report, end, { runId: request.requestId, viewSession, ...times }),
      )
    }
    return { ...report, onEnd }
  })
}
