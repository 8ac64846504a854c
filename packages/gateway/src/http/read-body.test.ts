import { createServer } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { BodyMemory, readBody, type ReceivedBody } from './read-body.ts'

const { bodiesBytesMax, smallBodyBytesMax } = LIMITS

test('bodies share the memory, and small ones never wait for it', () => {
  const memory = new BodyMemory()
  for (let times = 0; times < 3; times += 1) {
    expect(memory.change(0, bodiesBytesMax)).toBe(true)
    expect(memory.change(0, smallBodyBytesMax + 1)).toBe(false)
    expect(memory.change(0, smallBodyBytesMax)).toBe(true)
    memory.change(bodiesBytesMax, 0)
  }
})

test('copies a body of many pieces into a buffer that doubles', async () => {
  const memory = new BodyMemory()
  const change = vi.spyOn(memory, 'change')
  const read = Promise.withResolvers<ReceivedBody>()
  const server = createServer((message) => {
    const { signal } = new AbortController()
    read.resolve(readBody(message, { bytesMax: LIMITS.bodyBytesMax, memory, signal }))
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const socket = connect(typeof address === 'object' && address !== null ? address.port : 0)
  onTestFinished(() => void socket.destroy())
  const piece = 'x'.repeat(256)
  const body = piece.repeat(LIMITS.bodyBytesMax / piece.length)
  const chunks = `${piece.length.toString(16)}\r\n${piece}\r\n`.repeat(body.length / piece.length)
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  socket.write(`${chunks}0\r\n\r\n`)
  const { bytes } = await read.promise
  expect(Buffer.from(bytes).equals(Buffer.from(body))).toBe(true)
  // From 4 KiB to 1 MiB: a buffer of its own for each piece would copy the body 4,096 times.
  expect(change.mock.calls.length).toBeLessThanOrEqual(9)
})
