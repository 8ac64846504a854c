import { type Catalogue, CounterfoilClient, type Credentials } from '@counterfoil/client'
import { signal } from '@preact/signals'
import type { Gateway } from './gateway.ts'

/** A login whose key the person typed. The key stays in this page. */
export interface Session {
  readonly credentials: Credentials
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
  })
  const catalogue = await client.catalogue()
  if (keep) sessionStorage.setItem(STORED, JSON.stringify(credentials))
  session.value = { credentials, client, catalogue }
}

/** Forgets the login and its key, here and in the tab's storage. */
export function disconnect(): void {
  sessionStorage.removeItem(STORED)
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
