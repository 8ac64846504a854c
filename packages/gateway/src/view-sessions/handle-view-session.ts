import * as z from 'zod'
import { fieldProblem, GatewayError } from '@counterfoil/common'
import { failureOf, type Outcome, type ReceivedRequest } from '../outcome/outcome.ts'
import { parseJson } from '../outcome/parse-json.ts'
import {
  checkSameOrigin,
  findViewing,
  readViewing,
  type Viewing,
  type ViewSessionDependencies,
} from './identify-viewer.ts'
import { hashViewToken, isViewToken, makeViewToken, sessionCookie } from './session-cookie.ts'

const linkSchema = z.strictObject({ link: z.string().refine(isViewToken) })

/**
 * Handles the requests of the session's own path: a POST begins a session with the token of a link, a GET describes it,
 * and a DELETE ends it.
 */
export async function handleViewSession(
  dependencies: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Outcome> {
  try {
    if (request.method === 'POST') return await begin(dependencies, request)
    return request.method === 'DELETE'
      ? await end(dependencies, request)
      : await describe(dependencies, request)
  } catch (error) {
    return failureOf(error)
  }
}

/** Begins a session. The link is of no use afterwards. */
async function begin(
  { store, publicUrl, minutes, now }: ViewSessionDependencies,
  request: ReceivedRequest,
): Promise<Outcome> {
  checkSameOrigin(request, publicUrl)
  if (request.bodyFault) throw request.bodyFault
  const link = readLink(request.body)
  const token = makeViewToken()
  const beganAt = new Date(now())
  const expiresAt = new Date(now() + minutes * 60_000)
  const tokenHash = hashViewToken(token)
  const begun = { tokenHash, beganAt, expiresAt }
  const session = await store.viewSessions.begin(hashViewToken(link), begun)
  const login = session && (await store.findLogin(session.login))
  if (!login) {
    const message = 'The link is unknown, used or expired. Ask the operator for a new one.'
    throw new GatewayError('session-refused', message)
  }
  noteViewing(request, { session, login })
  const cookie = sessionCookie(publicUrl, token, minutes * 60)
  return empty(cookie)
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
  const content = {
    login: login.name,
    role: login.role,
    expiresAt: session.expiresAt.toISOString(),
  }
  return { kind: 'reply', content }
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
  return empty(sessionCookie(publicUrl, '', 0))
}

function empty(cookie: string): Outcome {
  return { kind: 'reply', status: 204, headers: { 'Set-Cookie': cookie }, content: '' }
}

function noteViewing({ note }: ReceivedRequest, { session, login }: Viewing): void {
  note({ login: login.name, viewSession: session.sessionId })
}

function readLink(body: Uint8Array): string {
  const parsed = linkSchema.safeParse(parseJson(body))
  if (parsed.success) return parsed.data.link
  const expected = 'the 43 characters that follow "#link=" in the link, and no other member'
  throw fieldProblem('invalid-field', [{ pointer: '/link', expected }])
}
