import * as z from 'zod'
import { fieldProblem, GatewayError } from '@counterfoil/common'
import type { LoginWithKeys, Store, ViewSession } from '@counterfoil/store'
import type { Identity } from '../authenticate/authenticate.ts'
import { failureOf, type Outcome, type ReceivedRequest } from '../outcome/outcome.ts'
import { parseJson } from '../outcome/parse-json.ts'
import {
  hashViewToken,
  isViewToken,
  makeViewToken,
  readSessionCookie,
  sessionCookie,
} from './session-cookie.ts'

export interface ViewSessionDependencies {
  readonly store: Pick<Store, 'findLogin' | 'viewSessions'>
  readonly publicUrl: string
  readonly minutes: number
  readonly now: () => number
}

/** A view session, and its login as the store has it now. */
interface Viewing {
  readonly session: ViewSession
  readonly login: LoginWithKeys
}

/**
 * Identifies the caller of a request by the cookie of its view session.
 *
 * @throws `cross-site-request` or `session-refused`; then the fault of the body's media type
 */
export async function identifyViewer(
  dependencies: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Identity> {
  checkSameOrigin(request, dependencies.publicUrl)
  const { session, login } = await readViewing(dependencies, request)
  if (request.bodyFault) throw request.bodyFault
  return { kind: 'identity', login, viewSession: session.sessionId }
}

/**
 * Handles the requests of the session's own path: a POST begins a session with the token of a link, a GET describes it,
 * and a DELETE ends it.
 */
export async function handleViewSession(
  dependencies: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Outcome> {
  try {
    checkSameOrigin(request, dependencies.publicUrl)
    if (request.method === 'POST') return await begin(dependencies, request)
    return request.method === 'DELETE'
      ? await end(dependencies, request)
      : await describe(dependencies, request)
  } catch (error) {
    return failureOf(error)
  }
}

const linkSchema = z.strictObject({ link: z.string().refine(isViewToken) })

/** Begins a session. The link is of no use afterwards. */
async function begin(
  { store, publicUrl, minutes, now }: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Outcome> {
  if (request.bodyFault) throw request.bodyFault
  const { data } = linkSchema.safeParse(parseJson(request.body))
  if (!data) {
    const expected = 'the 43 characters that follow "#link=" in the link, and no other member'
    throw fieldProblem('invalid-field', [{ pointer: '/link', expected }])
  }
  const token = makeViewToken()
  const session = await store.viewSessions.begin(hashViewToken(data.link), {
    tokenHash: hashViewToken(token),
    beganAt: new Date(now()),
    expiresAt: new Date(now() + minutes * 60_000),
  })
  const login = session && (await store.findLogin(session.login))
  if (!login) {
    const message = 'The link is unknown, used or expired. Ask the operator for a new one.'
    throw new GatewayError('session-refused', message)
  }
  noteViewing(request, { session, login })
  return setCookie(sessionCookie(publicUrl, token, minutes * 60))
}

/** Describes the session. The answer without one is empty: every visitor of the console asks, and most have none. */
async function describe(
  dependencies: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Outcome> {
  const viewing = await findViewing(dependencies, request)
  if (viewing === undefined) return { kind: 'reply', status: 204, content: '' }
  noteViewing(request, viewing)
  const { session, login } = viewing
  const expiresAt = session.expiresAt.toISOString()
  return { kind: 'reply', content: { login: login.name, role: login.role, expiresAt } }
}

async function end(
  dependencies: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Outcome> {
  const viewing = await readViewing(dependencies, request)
  noteViewing(request, viewing)
  const { store, publicUrl, now } = dependencies
  const { sessionId } = viewing.session
  await store.viewSessions.end({ sessionId }, new Date(now()))
  return setCookie(sessionCookie(publicUrl, '', 0))
}

function setCookie(cookie: string): Outcome {
  return { kind: 'reply', status: 204, headers: { 'Set-Cookie': cookie }, content: '' }
}

function noteViewing({ note }: ReceivedRequest, { session, login }: Viewing): void {
  note({ login: login.name, viewSession: session.sessionId })
}

async function readViewing(
  dependencies: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Viewing> {
  const viewing = await findViewing(dependencies, request)
  if (viewing) return viewing
  const message = 'You have no open view session. Ask the operator for a new link.'
  throw new GatewayError('session-refused', message)
}

/** Finds the view session of a request. Returns undefined if the request has no cookie of an open session. */
async function findViewing(
  { store, publicUrl, now }: ViewSessionDependencies,
  { browser }: ReceivedRequest,
): Promise<Viewing | undefined> {
  const token = readSessionCookie(publicUrl, browser?.cookie ?? '')
  const session = token && (await store.viewSessions.find(hashViewToken(token), new Date(now())))
  const login = session && (await store.findLogin(session.login))
  return session && login ? { session, login } : undefined
}

/**
 * Checks that a page of the gateway sends the request, and not a page of another site. Every browser sends `Origin` or
 * `Sec-Fetch-Site` with a POST and a DELETE, and no page can change them.
 */
function checkSameOrigin({ method, browser }: ReceivedRequest, publicUrl: string): void {
  const { origin, fetchSite } = browser ?? {}
  const isNamed = origin !== undefined || fetchSite !== undefined
  const isOwn =
    (origin ?? publicUrl) === publicUrl && (fetchSite ?? 'same-origin') === 'same-origin'
  if (isOwn && (isNamed || method === 'GET')) return
  const expected = `Origin: ${publicUrl}, or Sec-Fetch-Site: same-origin`
  const message = `expected a request of a page of the gateway: ${expected}`
  throw new GatewayError('cross-site-request', message)
}
