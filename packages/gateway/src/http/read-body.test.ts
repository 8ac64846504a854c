import { createServer } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LIMITS } from '../limits.ts'
import { BodyMemory, readBody, type ReceivedBody } from './read-body.ts'

const { bodiesBytesMax, smallBodyBytesMax } = LIMITS
const QUARTER = bodiesBytesMax / 4

test('one address gets its share of the memory for bodies, and leaves the rest to others', () => {
  const memory = new BodyMemory({ max: 8, perAddressMax: 2 })
  expect(memory.change('a', 0, QUARTER)).toBe(true)
  expect(memory.change('a', 0, smallBodyBytesMax + 1)).toBe(false)
  expect(memory.change('a', 0, smallBodyBytesMax)).toBe(true)
  for (const other of ['b', 'c', 'd']) expect(memory.change(other, 0, QUARTER)).toBe(true)
  expect(memory.change('e', 0, smallBodyBytesMax + 1)).toBe(false)
})

test('an address gets its share again when its bodies end', () => {
  const memory = new BodyMemory({ max: 8, perAddressMax: 2 })
  for (let times = 0; times < 8; times += 1) {
    expect(memory.change('a', 0, QUARTER / 2)).toBe(true)
    expect(memory.change('a', QUARTER / 2, QUARTER)).toBe(true)
    expect(memory.change('a', 0, QUARTER)).toBe(false)
    memory.change('a', QUARTER, 0)
  }
})

test('all callers behind a proxy share all the memory', () => {
  const memory = new BodyMemory({ max: 8, perAddressMax: 8 })
  expect(memory.change('proxy', 0, bodiesBytesMax)).toBe(true)
  expect(memory.change('proxy', 0, smallBodyBytesMax + 1)).toBe(false)
})

test('copies a body of many pieces into a buffer that doubles', async () => {
  const memory = new BodyMemory({ max: 8, perAddressMax: 8 })
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
