import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { RequestEvents } from '../observe/events.ts'
import type { SignedPath } from './answer.ts'
import { createHttpServer, type HttpServer } from './server.ts'

// More than the system keeps for a connection, and enough of them to exceed the limit.
const LONG_BYTES = 8 * 1024 * 1024
const LONG = 'x'.repeat(LONG_BYTES)
const MANY = (2 * LIMITS.unreadRepliesBytesMax) / LONG_BYTES

/** Answers with a long reply to the login that the query names. */
const signedPath: SignedPath = {
  body: { kind: 'json', bytesMax: 1024, isOptional: true },
  refusalStatus: 403,
  methods: ['GET'],
  headers: {},
  handle: async ({ target, publish }) => {
    const login = target.replace(/^.*\?/, '')
    if (login !== target) publish({ kind: 'authenticated', login })
    return { kind: 'text', contentType: 'text/plain', text: LONG }
  },
}

let server: HttpServer
let port = 0
const sockets: Socket[] = []
beforeEach(async () => {
  server = createHttpServer({
    hosts: new Set(),
    connections: { max: 1000, perAddressMax: 1000, isTight: false },
    signedPaths: new Map([['/signed', signedPath]]),
    publicReplies: new Map([['/public', { long: LONG }]]),
    publicFiles: { files: new Map(), redirects: new Map() },
    isReady: async () => true,
    events: new RequestEvents(),
  })
  const address = await server.listen('127.0.0.1', 0)
  port = address.port
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.close(0)
})

/** Requests a path, and reads nothing but the first bytes of the answer. */
async function ask(path: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port })
  sockets.push(socket)
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

/** Reads the rest of an answer, and returns its length. */
async function lengthOf(socket: Socket): Promise<number> {
  let length = 0
  socket.on('data', (bytes: Buffer) => (length += bytes.length))
  await once(socket, 'close')
  return length
}

test('a login that reads none of its replies loses the oldest ones, and no other caller does', async () => {
  const others = [await ask('/signed?other'), await ask('/signed')]
  const hostile: Socket[] = []
  for (let index = 0; index < MANY; index += 1) hostile.push(await ask('/signed?hostile'))
  const lengths = await Promise.all(hostile.map(lengthOf))
  const complete = lengths.map((length) => length > LONG_BYTES)
  const expected = MANY / 2 - others.length
  expect(complete).toEqual(hostile.map((_, index) => index >= MANY - expected))
  for (const other of others) expect(await lengthOf(other)).toBeGreaterThan(LONG_BYTES)
})

test('a reply that the caller has read leaves room for others', async () => {
  const lengths: number[] = []
  for (let index = 0; index < MANY; index += 1) {
    lengths.push(await lengthOf(await ask('/signed?busy')))
  }
  expect(Math.min(...lengths)).toBeGreaterThan(LONG_BYTES)
})

test('callers that do not read a public reply share its memory', async () => {
  const before = process.memoryUsage().arrayBuffers
  for (let index = 0; index < MANY; index += 1) await ask('/public')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * LONG_BYTES)
})
