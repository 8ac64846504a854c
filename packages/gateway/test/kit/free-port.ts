import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The number of the process that runs tests. */
const WORKER = Number(process.env['VITEST_POOL_ID'] ?? 0)

/**
 * Finds a free port below those that the system assigns to connections, so that it probably stays free. Of two processes
 * that run tests at the same time, one gets even ports and the other odd ones.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 2 * randomInt(10_000, 16_000) + (WORKER % 2)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await new Promise((closed) => server.close(closed))
    return port
  }
}
