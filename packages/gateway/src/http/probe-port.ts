import { once } from 'node:events'
import { createServer } from 'node:net'
import { GatewayError } from '@counterfoil/common'

/**
 * Checks that the gateway can listen on a port: listens there and stops at once.
 *
 * @throws `port` if the gateway cannot listen there
 */
export async function probePort({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer()
  try {
    await once(server.listen(port, bindAddress(host)), 'listening')
  } catch (cause) {
    throw portFault(host, port, cause)
  }
  await new Promise((closed) => server.close(closed))
}

/** Returns the address to bind for a configured host. For `localhost` this is 127.0.0.1 and not ::1. */
export function bindAddress(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host
}

/** Describes why the gateway cannot listen. */
export function portFault(host: string, port: number, cause: unknown): GatewayError {
  const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = isTaken
    ? `Port ${port} is taken.`
    : `Cannot listen on ${host}:${port}: ${reason}.`
  return new GatewayError('port', message, { cause })
}
