import { emptySchema, JWS_MEDIA_TYPE, runsQuerySchema } from '@counterfoil/protocol'
import type * as z from 'zod'
import { answerCaller, type Identify } from '../authenticate/authenticate.ts'
import { type FairQueue, fieldProblem, GatewayError, LIMITS } from '@counterfoil/common'
import { parseJson, parseMembers } from '../outcome/parse-json.ts'
import { asksFor, type Outcome, type ReceivedRequest } from '../outcome/outcome.ts'
import type { ListedRun, ListedRuns, Login, RunStore } from '@counterfoil/store'
import type { ManifestKeys } from './manifest-keys.ts'
import type { RunRecorder } from './run-recorder.ts'

export interface RunsDependencies {
  readonly identify: Identify
  readonly runs: Pick<RunStore, 'find' | 'list'>
  readonly recorder: Pick<RunRecorder, 'recorded'>
  readonly manifestKeys: ManifestKeys
  /** Decides whose list is read next. A list of long records takes the main thread some milliseconds. */
  readonly threadQueue: FairQueue
}

/** The origin of a target has no meaning. */
const ORIGIN = 'http://gateway'

/** Handles a request for the list of runs: those of the caller, or of everybody for an operator. */
export async function handleRuns(
  dependencies: RunsDependencies,
  request: ReceivedRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  return await answerCaller(dependencies.identify, request, signal, async ({ login }) => {
    const { runs, threadQueue } = dependencies
    const { before, ...query } = parse(runsQuerySchema, request)
    const list = async () => {
      const last = before === undefined ? undefined : await findFor(runs, before, login)
      // If the run is gone, a list that begins anywhere else could leave out runs.
      if (before !== undefined && last === undefined) {
        const expected = 'the "next" of an earlier answer, or the id of a run of yours'
        throw fieldProblem('invalid-field', [{ pointer: '/before', expected }])
      }
      return await runs.list({
        ...query,
        login: ownerFor(login),
        before: last?.number,
        bytesMax: LIMITS.runPageBytesMax,
      })
    }
    const listed = await threadQueue.run(login.name, list, signal)
    return { kind: 'reply', content: pageOf(listed) }
  })
}

/** Writes a page of runs (`RunPage`) from their records, which are JSON already. */
function pageOf({ runs, hasMore }: ListedRuns): string {
  const records = runs.map(({ record }) => record).join(',')
  // A number of a run would tell how many runs other logins had.
  const next = hasMore ? `,"next":${JSON.stringify(runs.at(-1)?.runId)}` : ''
  return `{"runs":[${records}]${next}}\n`
}

/** Handles a request for one run. The caller gets the record of a run of its own, as JSON or signed. */
export async function handleRun(
  dependencies: RunsDependencies,
  request: ReceivedRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  return await answerCaller(dependencies.identify, request, signal, async ({ login }) => {
    parse(emptySchema, request)
    const { pathname } = new URL(request.target, ORIGIN)
    const runId = pathname.slice(pathname.lastIndexOf('/') + 1)
    await dependencies.recorder.recorded(runId, ownerFor(login), signal)
    const run = await findFor(dependencies.runs, runId, login)
    if (!run) {
      throw new GatewayError('unknown-run', 'expected the id of a run of yours that has ended')
    }
    if (!asksFor(JWS_MEDIA_TYPE, request)) return { kind: 'reply', content: `${run.record}\n` }
    const content = await dependencies.manifestKeys.sign(run.record)
    return { kind: 'reply', contentType: JWS_MEDIA_TYPE, content }
  })
}

function parse<Schema extends z.core.$ZodType>(
  schema: Schema,
  { target, body }: ReceivedRequest,
): z.output<Schema> {
  const json = body.length > 0 ? parseJson(body) : {}
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  const query = Object.fromEntries(new URL(target, ORIGIN).searchParams)
  return parseMembers(schema, isObject ? { ...query, ...json } : json)
}

function ownerFor({ name, role }: Login): string | undefined {
  return role === 'operator' ? undefined : name
}

/** Finds a run that a caller may see. The same answer for a run of another login, so that ids reveal nothing. */
async function findFor(
  runs: RunsDependencies['runs'],
  runId: string,
  login: Login,
): Promise<ListedRun | undefined> {
  const run = await runs.find(runId)
  const owner = ownerFor(login)
  return owner === undefined || run?.login === owner ? run : undefined
}
