import { signal } from '@preact/signals'
import { gateway, readGateway } from './gateway.ts'
import { connect, disconnect, storedCredentials } from './session.ts'

/** Whether the page still asks the gateway who it is, and who the person was before a reload. */
export const starting = signal(true)

/** Why the gateway could not be asked. */
export const startFault = signal<unknown>(undefined)

/** Asks the gateway what it is, and connects again with the key that the tab remembers. */
export async function start(): Promise<void> {
  try {
    await readGateway()
    const credentials = storedCredentials()
    if (gateway.value && credentials) await connect(gateway.value, credentials, true)
  } catch (error) {
    disconnect()
    startFault.value = error
  } finally {
    starting.value = false
  }
}
