import { CounterfoilError } from '@counterfoil/client'
import { signal } from '@preact/signals'
import { gateway, type Gateway, readGateway } from './gateway.ts'
import { connect, connectViewer, disconnect, storedCredentials } from './session.ts'
import { beginByLink, findViewSession } from './view-session.ts'

/** Whether the page still asks the gateway who it is, and who the person was before a reload. */
export const starting = signal(true)

/** Why the gateway could not be asked. */
export const startFault = signal<unknown>(undefined)

/** Asks the gateway what it is, and connects again with the key that the tab remembers, or with a view session. */
export async function start(): Promise<void> {
  try {
    await readGateway()
    if (gateway.value) await reconnect(gateway.value)
  } catch (error) {
    // A key that the gateway refuses is of no use. Any other failure may pass, so the tab keeps its key.
    if (error instanceof CounterfoilError && error.code === 'not-authorised') disconnect()
    startFault.value = error
  } finally {
    starting.value = false
  }
}

async function reconnect(own: Gateway): Promise<void> {
  const hasLink = await beginByLink(own)
  const credentials = hasLink ? undefined : storedCredentials()
  if (credentials) {
    await connect(own, credentials, true)
    return
  }
  const viewSession = await findViewSession(own)
  if (viewSession) await connectViewer(own, viewSession)
}
