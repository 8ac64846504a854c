import type { Identity } from '../authenticate/authenticate.ts'
import { GatewayError } from '@counterfoil/common'
import type { ReceivedRequest } from '../outcome/outcome.ts'
import type { LoginWithKeys, Store, ViewSession } from '@counterfoil/store'
import { hashViewToken, readSessionCookie } from './session-cookie.ts'

/** The dependencies and settings of view sessions. */
export interface ViewSessionDependencies {
  readonly store: Pick<Store, 'findLogin' | 'viewSessions'>
  /** The origin of the console. */
  readonly publicUrl: string
  /** How long a session lasts. */
  readonly minutes: number
  readonly now: () => number
}

/** A view session, and its login as the store has it now. */
export interface Viewing {
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
  const { session, login } = await readViewing(dependencies, request)
  if (request.bodyFault) throw request.bodyFault
  return { kind: 'identity', login, viewSession: session.sessionId }
}

/**
 * Reads the view session of a request.
 *
 * @throws `cross-site-request` or `session-refused`
 */
export async function readViewing(
  dependencies: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Viewing> {
  const viewing = await findViewing(dependencies, request)
  if (viewing) return viewing
  const message = 'You have no open view session. Ask the operator for a new link.'
  throw new GatewayError('session-refused', message)
}

/**
 * Finds the view session of a request. Returns undefined if the request has no cookie of an open session.
 *
 * @throws `cross-site-request`
 */
export async function findViewing(
  { store, publicUrl, now }: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Viewing | undefined> {
  checkSameOrigin(request, publicUrl)
  const token = readSessionCookie(publicUrl, request.browser?.cookie ?? '')
  const session = token && (await store.viewSessions.find(hashViewToken(token), new Date(now())))
  const login = session && (await store.findLogin(session.login))
  return session && login ? { session, login } : undefined
}

/**
 * Checks that a page of the gateway sends the request, and not a page of another site. Every browser sends `Origin` or
 * `Sec-Fetch-Site` with a POST and a DELETE, and no page can change them.
 *
 * @throws `cross-site-request`
 */
export function checkSameOrigin(
  { method, browser }: Pick<ReceivedRequest, 'method' | 'browser'>,
  publicUrl: string,
): void {
  const { origin, fetchSite } = browser ?? {}
  const isNamed = origin !== undefined || fetchSite !== undefined
  const isOwn =
    (origin ?? publicUrl) === publicUrl && (fetchSite ?? 'same-origin') === 'same-origin'
  if (isOwn && (isNamed || method === 'GET')) return
  const expected = `Origin: ${publicUrl}, or Sec-Fetch-Site: same-origin`
  throw new GatewayError(
    'cross-site-request',
    `expected a request of a page of the gateway: ${expected}`,
  )
}
