import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { GatewayError } from '@counterfoil/common'

/** Where a server listens. For the host `localhost` this is 127.0.0.1 and not ::1. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Makes a server listen, by its own method or another. Throws `port` if it cannot listen there. */
export async function listenAt(
  server: Server,
  { host, port }: ListenAddress,
  listen = (at: ListenAddress): Promise<unknown> => once(server.listen(at), 'listening'),
): Promise<AddressInfo> {
  try {
    await listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
  } catch (cause) {
    throw portFault(host, port, cause)
  }
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  return address
}

/** Checks that the gateway can listen on a port: listens there and stops at once. */
export async function probePort(address: ListenAddress): Promise<void> {
  const server = createServer()
  await listenAt(server, address)
  await new Promise((closed) => server.close(closed))
}

function portFault(host: string, port: number, cause: unknown): GatewayError {
  const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = isTaken
    ? `Port ${port} is taken.`
    : `Cannot listen on ${host}:${port}: ${reason}.`
  return new GatewayError('port', message, { cause })
}
