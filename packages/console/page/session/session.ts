import {
  type Catalogue,
  CounterfoilClient,
  type Credentials,
  type ViewSession,
} from '@counterfoil/client'
import { computed, signal } from '@preact/signals'
import { fetchAndKeepHead } from './answer-heads.ts'
import { gateway, type Gateway } from './gateway.ts'
import { endViewSession, type ViewSessionInfo } from './view-session.ts'

/** A login whose key the person typed, or a view session without a key. A key stays in this page. */
export interface Session {
  readonly credentials: Credentials | ViewSession
  readonly client: CounterfoilClient
  readonly catalogue: Catalogue
}

/** Who uses the console. Undefined before the person has connected. */
export const session = signal<Session | undefined>(undefined)

/** The tab's session storage holds the credentials under this name, if the person asks for it. */
const STORED = 'counterfoil-credentials'

/**
 * Connects with a login and its key: the gateway must accept a signed request for the catalogue.
 *
 * @param keep whether the tab remembers the key until it is closed
 * @throws the client's errors
 */
export async function connect(
  { reportUrl, operationUrls = {} }: Gateway,
  credentials: Credentials,
  keep: boolean,
): Promise<void> {
  const [operationUrl] = Object.values(operationUrls)
  const apiUrl = operationUrl?.replace(/\/api\/v\d+\/.*$/, '')
  const client = new CounterfoilClient({
    endpoint: reportUrl,
    ...(apiUrl !== undefined && { apiUrl }),
    ...credentials,
    fetch: fetchAndKeepHead,
  })
  const catalogue = await client.catalogue()
  if (keep) sessionStorage.setItem(STORED, JSON.stringify(credentials))
  session.value = { credentials, client, catalogue }
}

/** Shows the reports of a view session, which has no key. */
export async function connectViewer(
  { viewSessionUrl }: Gateway,
  { login }: ViewSessionInfo,
): Promise<void> {
  const credentials = { login, viewSession: true } as const
  const client = new CounterfoilClient({
    endpoint: `${viewSessionUrl}/reports`,
    ...credentials,
    fetch: fetchAndKeepHead,
  })
  session.value = { credentials, client, catalogue: await client.catalogue() }
}

/** Whether the session has a key, so that the person can sign. */
export const hasKey = computed(() => {
  return session.value !== undefined && !('viewSession' in session.value.credentials)
})

/** Forgets the login and its key, here and in the tab's storage. Ends a view session. */
export function disconnect(): void {
  sessionStorage.removeItem(STORED)
  if (session.value && !hasKey.value && gateway.value) void endViewSession(gateway.value)
  session.value = undefined
}

/** Returns the credentials that the tab remembers. */
export function storedCredentials(): Credentials | undefined {
  const stored = sessionStorage.getItem(STORED)
  if (stored === null) return undefined
  // Only `connect` writes there.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(stored) as Credentials
}
