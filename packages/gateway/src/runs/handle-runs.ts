import { JWS_MEDIA_TYPE } from '@counterfoil/protocol'
import * as z from 'zod'
import type { Identify } from '../authenticate/authenticate.ts'
import { fieldProblem, GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { parseJson } from '../parse-json.ts'
import { failureOf, type Outcome, type ReceivedRequest } from '../outcome.ts'
import type { RunStore } from '../store/run-store.ts'
import type { Login } from '../store/store.ts'
import type { ManifestKeys } from './manifest-keys.ts'
import { pageOf } from './page-of-runs.ts'
import type { RunRecorder } from './run-recorder.ts'

/** The dependencies of the handlers of runs. */
export interface RunsDependencies {
  readonly identify: Identify
  readonly runs: RunStore
  readonly recorder: Pick<RunRecorder, 'recorded'>
  readonly manifestKeys: ManifestKeys
}

const LIMIT_EXPECTED = `a whole number from 1 to ${LIMITS.runsListedMax}`
const BEFORE_EXPECTED = 'the "next" of an earlier answer'

/** What a request for the list may say: in the query of a GET, or in the body of a POST. */
export const runsQuery = z.strictObject({
  limit: z.coerce
    .number({ error: LIMIT_EXPECTED })
    .int(LIMIT_EXPECTED)
    .min(1, LIMIT_EXPECTED)
    .max(LIMITS.runsListedMax, LIMIT_EXPECTED)
    .default(100),
  before: z
    .string({ error: BEFORE_EXPECTED })
    .regex(/^\d{1,15}$/, BEFORE_EXPECTED)
    .transform(Number)
    .optional(),
  reportIdentifier: z.string({ error: 'the identifier of a report' }).optional(),
})

/** Handles a request for the list of runs: those of the caller, or of everybody for an operator. */
export async function handleRuns(
  dependencies: RunsDependencies,
  request: ReceivedRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  return await answerLogin(dependencies, request, signal, async (login) => {
    const query = parse(runsQuery, request)
    const own = login.role === 'operator' ? {} : { login: login.name }
    const listed = await dependencies.runs.list({ ...own, ...query })
    return { kind: 'text', contentType: 'application/json', text: pageOf(listed, query.limit) }
  })
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
    const own = login.role === 'operator' ? undefined : login.name
    await dependencies.recorder.recorded(runId, own, signal)
    const run = await dependencies.runs.find(runId)
    // The same answer for a run of another login, so that ids reveal nothing.
    if (!run || (own !== undefined && run.login !== own)) {
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
    const { login, viewSession } = identity
    request.publish({ kind: 'authenticated', login: login.name, viewSession })
    return await answer(login)
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
  const body = request.body.length > 0 ? parseJson(request.body) : {}
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const query = Object.fromEntries(urlOf(request).searchParams)
  const parsed = schema.safeParse(isObject ? { ...query, ...body } : body)
  if (parsed.success) return parsed.data
  const known = Object.keys(schema.shape)
  const named = known.length > 0 ? `one of ${known.join(', ')}` : 'an empty object, or no body'
  const faults = parsed.error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') {
      return [{ pointer: pointerOf(issue.path), expected: issue.message }]
    }
    return issue.keys.map((key) => ({ pointer: pointerOf([key]), expected: named }))
  })
  throw fieldProblem('invalid-field', faults)
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part)}`).join('')
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
