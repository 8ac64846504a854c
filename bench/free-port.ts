import { createServer } from 'node:net'

/** Finds a port of the loopback address that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  if (address === null || typeof address === 'string') throw new Error('expected a TCP port')
  return address.port
}
