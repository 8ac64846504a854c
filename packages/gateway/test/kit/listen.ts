import { once } from 'node:events'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** Listens on a free port of the loopback address until the test has finished. Returns the port. */
export async function listen(listener: Server): Promise<number> {
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void listener.close())
  const address = listener.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
