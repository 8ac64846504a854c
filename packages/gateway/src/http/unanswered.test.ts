import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { Unanswered } from './unanswered.ts'

let begun: ServerResponse[]
let refused: number
let socket: Socket
let received: string
let close: () => void
beforeEach(async () => {
  begun = []
  refused = 0
  received = ''
  const unanswered = new Unanswered()
  const server = createServer((request, response) => {
    const answer = (): void => void begun.push(response)
    if (!unanswered.begin(request.socket, response, answer)) refused += 1
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a port')
  socket = connect(address.port, '127.0.0.1')
  socket.on('error', () => {}).on('data', (data) => void (received += String(data)))
  close = () => {
    socket.destroy()
    server.close()
  }
})
afterEach(() => close())

function send(requests: number): void {
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests))
}

test('answers the requests of a connection one after the other', async () => {
  send(3)
  for (const text of ['first', 'second', 'third']) {
    await expect.poll(() => begun.length).toBe(1)
    begun.shift()?.end(text)
    await expect.poll(() => received).toContain(text)
  }
  send(1)
  await expect.poll(() => begun.length).toBe(1)
})

test('begins no waiting request after the client has ended the connection', async () => {
  send(3)
  await expect.poll(() => begun.length).toBe(1)
  const closed = once(begun[0] ?? socket, 'close')
  socket.resetAndDestroy()
  await closed
  expect(begun).toHaveLength(1)
})

test('begins no waiting request after an answer has ended the connection', async () => {
  send(3)
  await expect.poll(() => begun.length).toBe(1)
  const [response] = begun
  const ended = once(socket, 'end')
  response?.writeHead(200, { Connection: 'close' }).end('last')
  await ended
  expect(received).toContain('last')
  expect(begun).toHaveLength(1)
})

test('limits the waiting requests of a connection', async () => {
  send(LIMITS.pipelinedRequestsMax + 2)
  await expect.poll(() => refused).toBe(2)
  expect(begun).toHaveLength(1)
})
