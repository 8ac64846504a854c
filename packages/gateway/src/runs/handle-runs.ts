import { JWS_MEDIA_TYPE } from '@counterfoil/protocol'
import * as z from 'zod'
import { describeCaller, type Identify } from '../authenticate/authenticate.ts'
import { fieldProblem, GatewayError } from '../errors.ts'
import type { FairQueue } from '../fair-queue.ts'
import { LIMITS } from '../limits.ts'
import { parseJson } from '../parse-json.ts'
import { failureOf, type Outcome, type ReceivedRequest } from '../outcome.ts'
import type { ListedRun, RunStore } from '../store/run-store.ts'
import type { Login } from '../store/store.ts'
import { withoutCardNumber } from '../without-card-number.ts'
import type { ManifestKeys } from './manifest-keys.ts'
import { pageOf } from './page-of-runs.ts'
import type { RunRecorder } from './run-recorder.ts'

/** The dependencies of the handlers of runs. */
export interface RunsDependencies {
  readonly identify: Identify
  readonly runs: RunStore
  readonly recorder: Pick<RunRecorder, 'recorded'>
  readonly manifestKeys: ManifestKeys
  /** Decides whose list is read next. A list of long records takes the main thread some milliseconds. */
  readonly threadQueue: FairQueue
}

const LIMIT_EXPECTED = `a whole number from 1 to ${LIMITS.runsListedMax}`
const BEFORE_EXPECTED = 'the "next" of an earlier answer, or the id of a run of yours'
const REPORT_EXPECTED = 'the identifier of a report'
const EMPTY_EXPECTED = 'an empty object, or no body'

/** What a request for the list may say: in the query of a GET, or in the body of a POST. */
export const runsQuery = z.strictObject({
  // The query of a URL has texts only. `z.coerce` would also read `true`, `[1]` and `1e2` as numbers.
  limit: z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
      z.int(LIMIT_EXPECTED).min(1, LIMIT_EXPECTED).max(LIMITS.runsListedMax, LIMIT_EXPECTED),
    )
    .default(100),
  before: z
    .string({ error: BEFORE_EXPECTED })
    .regex(/^[\w-]{1,100}$/, BEFORE_EXPECTED)
    .optional(),
  reportIdentifier: z
    .string({ error: REPORT_EXPECTED })
    .regex(/^[\w-]{1,100}$/, REPORT_EXPECTED)
    .optional(),
})

/** Handles a request for the list of runs: those of the caller, or of everybody for an operator. */
export async function handleRuns(
  dependencies: RunsDependencies,
  request: ReceivedRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  return await answerLogin(dependencies, request, signal, async (login) => {
    const { runs, threadQueue } = dependencies
    const { before, ...query } = parse(runsQuery, request)
    const list = async () => {
      const last = before === undefined ? undefined : await findBefore(runs, before, login)
      return await runs.list({
        ...query,
        login: ownerFor(login),
        before: last?.number,
        bytesMax: LIMITS.runPageBytesMax,
      })
    }
    const listed = await threadQueue.run(login.name, list, signal)
    return { kind: 'text', contentType: 'application/json', text: pageOf(listed) }
  })
}

/** Returns the login whose runs a caller may see. An operator may see the runs of all. */
function ownerFor({ name, role }: Login): string | undefined {
  return role === 'operator' ? undefined : name
}

/** Finds a run that a caller may see. The same answer for a run of another login, so that ids reveal nothing. */
async function findFor(
  runs: RunStore,
  runId: string,
  login: Login,
): Promise<ListedRun | undefined> {
  const run = await runs.find(runId)
  const owner = ownerFor(login)
  return owner === undefined || run?.login === owner ? run : undefined
}

/** @throws `invalid-field` if the run is gone: a list that begins anywhere else could leave out runs */
async function findBefore(runs: RunStore, runId: string, login: Login): Promise<ListedRun> {
  const run = await findFor(runs, runId, login)
  if (run) return run
  throw fieldProblem('invalid-field', [{ pointer: '/before', expected: BEFORE_EXPECTED }])
}

/** Handles a request for one run. The caller gets the record of a run of its own, as JSON or signed. */
export async function handleRun(
  dependencies: RunsDependencies,
  request: ReceivedRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  return await answerLogin(dependencies, request, signal, async (login) => {
    parse(z.strictObject({}), request)
    const { pathname } = urlOf(request)
    const runId = pathname.slice(pathname.lastIndexOf('/') + 1)
    await dependencies.recorder.recorded(runId, ownerFor(login), signal)
    const run = await findFor(dependencies.runs, runId, login)
    if (!run) {
      throw new GatewayError('unknown-run', 'expected the id of a run of yours that has ended')
    }
    if (acceptsSigned(request)) {
      const text = await dependencies.manifestKeys.sign(run.record)
      return { kind: 'text', contentType: JWS_MEDIA_TYPE, text }
    }
    return { kind: 'text', contentType: 'application/json', text: `${run.record}\n` }
  })
}

/** Authenticates a caller, and answers. Each refusal is returned as an outcome. */
async function answerLogin(
  { identify }: RunsDependencies,
  request: ReceivedRequest,
  signal: AbortSignal,
  answer: (login: Login) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const identity = await identify(request)
    if (identity.kind === 'refusal') return identity
    request.publish(describeCaller(identity))
    return await answer(identity.login)
  } catch (error) {
    // A caller that has disconnected gets no answer.
    if (error === signal.reason) throw error
    return failureOf(error)
  }
}

/**
 * Reads the members of a request from the query of its URL and from its body.
 *
 * @throws `malformed-json` or `invalid-field`
 */
function parse<Schema extends z.ZodObject>(
  schema: Schema,
  request: ReceivedRequest,
): z.output<Schema> {
  const known = Object.keys(schema.shape)
  const body = request.body.length > 0 ? parseJson(request.body) : {}
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const expected = known.length > 0 ? `an object of ${known.join(', ')}` : EMPTY_EXPECTED
    throw fieldProblem('invalid-field', [{ pointer: '', expected }])
  }
  const query = Object.fromEntries(urlOf(request).searchParams)
  const parsed = schema.safeParse({ ...query, ...body })
  if (parsed.success) return parsed.data
  const named = known.length > 0 ? `one of ${known.join(', ')}` : EMPTY_EXPECTED
  const faults = parsed.error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') {
      return [{ pointer: pointerOf(issue.path), expected: issue.message }]
    }
    return issue.keys.map((key) => ({ pointer: pointerOf([key]), expected: named }))
  })
  throw fieldProblem('invalid-field', faults)
}

/** Writes a JSON pointer (RFC 6901). Masks names with a card number. */
function pointerOf(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => {
    return withoutCardNumber(String(part)).replaceAll('~', '~0').replaceAll('/', '~1')
  })
  return parts.map((part) => `/${part}`).join('')
}

/** The URL of a request. Its origin has no meaning. */
function urlOf({ target }: ReceivedRequest): URL {
  return new URL(target, 'http://gateway')
}

/** Whether a caller prefers the signed record. A caller that names no type gets JSON. */
function acceptsSigned({ accept = '' }: ReceivedRequest): boolean {
  return accept
    .split(',')
    .some((type) => type.split(';')[0]?.trim().toLowerCase() === JWS_MEDIA_TYPE)
}
