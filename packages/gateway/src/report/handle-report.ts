import { describeCaller, type Identify } from '../authenticate/authenticate.ts'
import { failureOf, type Outcome, type ReceivedRequest, type ReportEnd } from '../outcome.ts'
import type { RunRecorder } from '../runs/run-recorder.ts'
import type { Catalogue } from '../templates/load-templates.ts'
import { describeRun } from './describe-run.ts'
import { parseEnvelope } from './envelope.ts'
import type { LargeRequests } from './large-requests.ts'
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
  /** Spaces out the large requests of each login. */
  readonly largeRequests: LargeRequests
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
  const { publish } = request
  const startedAt = dependencies.now()
  try {
    const identity = await dependencies.identify(request)
    if (identity.kind === 'refusal') return identity
    const { viewSession } = identity
    const { name: login, role, sees, timezone = dependencies.timezone } = identity.login
    publish(describeCaller(identity))
    await dependencies.largeRequests.wait(login, request.body, signal)
    const envelope = parseEnvelope(request.body)
    request.releaseBody?.()
    const viewer = { login, role, sees, timezone }
    const prepared = prepareReport(dependencies.catalogue(), viewer, envelope, (report, format) => {
      publish({ kind: 'asked', report, format })
    })
    const report = await runReport(dependencies, prepared, request.requestId, signal)
    const record = dependencies.recorder.begin(request.requestId, login)
    const onEnd = (end: ReportEnd): void => {
      const times = { startedAt, endedAt: dependencies.now() }
      record(
        describeRun(prepared, report, end, { runId: request.requestId, viewSession, ...times }),
      )
    }
    return { ...report, onEnd }
  } catch (error) {
    // A caller that has disconnected gets no answer.
    if (error === signal.reason) throw error
    return failureOf(error)
  }
}
