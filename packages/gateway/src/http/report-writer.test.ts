import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { ReportWriter, type UnsentBytes } from './report-writer.ts'

const CHUNK_BYTES = 256 * 1024
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

let unsent: UnsentBytes
let server: Server
beforeEach(async () => {
  unsent = { ofAll: 0 }
  server = createServer(async (_, response) => {
    const writer = new ReportWriter(response, unsent)
    while (!response.destroyed) await writer.write(new Uint8Array(CHUNK_BYTES))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => void server.close())

/** Sends a request and reads nothing of its answer. */
function leaveUnread(): Socket {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a port')
  const socket = connect(address.port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(REQUEST)
  return socket
}

test.each([
  ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
  ['ends the connection', (socket: Socket) => socket.destroy()],
])('stops counting the bytes that wait for a reader when the reader %s', async (_, leave) => {
  for (let readers = 0; readers < 3; readers += 1) {
    const socket = leaveUnread()
    await expect.poll(() => unsent.ofAll).toBeGreaterThanOrEqual(LIMITS.unsentBytesMax)
    leave(socket)
    await expect.poll(() => unsent.ofAll).toBe(0)
  }
})
