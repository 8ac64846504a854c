import {
  type Catalogue,
  CounterfoilClient,
  CounterfoilError,
  type Credentials,
  type ViewSession,
} from '@counterfoil/client'
import type { Discovery } from '@counterfoil/protocol'
import { computed, signal } from '@preact/signals'

/** A login whose key the person typed, or a view session without a key. A key stays in this page. */
export interface Session {
  readonly credentials: Credentials | ViewSession
  readonly client: CounterfoilClient
  readonly catalogue: Catalogue
}

export const gateway = signal<Discovery | undefined>(undefined)

/** Who uses the console. Undefined before the person has connected. */
export const session = signal<Session | undefined>(undefined)

/** Whether the page still asks the gateway what it is, and who the person was before a reload. */
export const starting = signal(true)

export const startFault = signal<unknown>(undefined)

export const hasKey = computed(() => {
  return session.value !== undefined && !('viewSession' in session.value.credentials)
})

/** The tab's session storage holds the credentials here, if the person asks for it. */
const STORED = 'counterfoil-credentials'

const LINK = /^#link=([\w-]+)$/

/** Asks the gateway what it is, and connects again with the key that the tab remembers, or with a view session. */
export async function start(): Promise<void> {
  // A one-time link may be opened in a tab that shows the console already.
  addEventListener('hashchange', () => {
    if (LINK.test(location.hash)) location.reload()
  })
  try {
    const response = await fetch('/.well-known/counterfoil', { cache: 'no-store' })
    if (!response.ok) throw new Error(`status ${response.status}`)
    // The gateway that served this page is trusted.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    gateway.value = (await response.json()) as Discovery
    await reconnect(gateway.value)
  } catch (error) {
    // A key that the gateway refuses is of no use. Any other failure may pass, so the tab keeps its key.
    if (error instanceof CounterfoilError && error.code === 'not-authorised') disconnect()
    startFault.value = error
  } finally {
    starting.value = false
  }
}

/** Connects with a login and its key. With `keep`, the tab remembers the key. Throws the client's errors. */
export async function connect(credentials: Credentials, keep: boolean): Promise<void> {
  const { reportUrl: endpoint = '', operationUrls = {} } = gateway.value ?? {}
  const [operationUrl] = Object.values(operationUrls)
  const apiUrl = operationUrl?.replace(/\/api\/v\d+\/.*$/, '')
  const client = new CounterfoilClient({ endpoint, ...(apiUrl && { apiUrl }), ...credentials })
  const catalogue = await client.catalogue()
  if (keep) sessionStorage.setItem(STORED, JSON.stringify(credentials))
  session.value = { credentials, client, catalogue }
}

/** Forgets the login and its key, here and in the tab's storage. Ends a view session. */
export function disconnect(): void {
  sessionStorage.removeItem(STORED)
  const { viewSessionUrl } = gateway.value ?? {}
  if (session.value && !hasKey.value && viewSessionUrl !== undefined) {
    void fetch(viewSessionUrl, { method: 'DELETE' })
  }
  session.value = undefined
}

async function reconnect({ viewSessionUrl }: Discovery): Promise<void> {
  const [, link] = LINK.exec(location.hash) ?? []
  const stored = sessionStorage.getItem(STORED)
  if (link !== undefined) {
    history.replaceState(undefined, '', location.pathname)
    await beginViewSession(viewSessionUrl, link)
  } else if (stored !== null) {
    // Only `connect` writes there.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    await connect(JSON.parse(stored) as Credentials, true)
    return
  }
  if (viewSessionUrl === undefined) return
  const response = await fetch(viewSessionUrl, { cache: 'no-store' })
  // Without a session, the answer has status 204.
  if (response.status !== 200) return
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { login } = (await response.json()) as { readonly login: string }
  const credentials = { login, viewSession: true } as const
  const client = new CounterfoilClient({ endpoint: `${viewSessionUrl}/reports`, ...credentials })
  session.value = { credentials, client, catalogue: await client.catalogue() }
}

/** Begins a view session. Throws if the link is unknown, used or expired. */
async function beginViewSession(url: string | undefined, link: string): Promise<void> {
  if (url === undefined) throw new Error('This gateway has no view sessions.')
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ link }),
  })
  if (response.ok) return
  const { detail } = Object(await response.json().catch(() => undefined))
  throw new Error(typeof detail === 'string' ? detail : `status ${response.status}`)
}
