import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AddressTurns, REQUESTS_PER_ROUND } from './address-turns.ts'
import { createFastify } from './create-fastify.ts'

const NUMBERS = Array.from({ length: 20 }, (_, number) => number)

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) await setImmediate()
}

test('begins the first requests of each address at once, and the others in order', async () => {
  const turns = new AddressTurns(REQUESTS_PER_ROUND)
  const begun: (number | string)[] = []
  for (const number of NUMBERS) turns.add('192.0.2.1', () => begun.push(number))
  turns.add('192.0.2.2', () => begun.push('other'))
  expect(begun).toEqual([0, 1, 2, 3, 'other'])
  await rounds(1)
  expect(begun.length).toBeLessThan(NUMBERS.length)
  await rounds(NUMBERS.length)
  expect(begun.filter((name) => name !== 'other')).toEqual(NUMBERS)
})

test('begins a request at once after the others of its address have begun', async () => {
  const turns = new AddressTurns(REQUESTS_PER_ROUND)
  for (const _ of NUMBERS) turns.add('192.0.2.1', () => {})
  await rounds(NUMBERS.length)
  let begun = false
  turns.add('192.0.2.1', () => (begun = true))
  expect(begun).toBe(true)
})

test('lets a request add another one', async () => {
  const turns = new AddressTurns(REQUESTS_PER_ROUND)
  const begun: string[] = []
  turns.add('192.0.2.1', () => {
    begun.push('first')
    turns.add('192.0.2.1', () => begun.push('second'))
  })
  await rounds(2)
  expect(begun).toEqual(['first', 'second'])
})

/** A server that notes the address of each request, and a function that connects to it from an address. */
async function listen(perAddressMax: number) {
  const answered: string[] = []
  const { server } = createFastify(
    { hosts: new Set(), connections: { max: 500, perAddressMax, isTight: false } },
    { answerBadUrl: () => {}, answerMalformed: () => {} },
  )
  server.get('/', ({ ip }, reply) => {
    answered.push(ip)
    return reply.send('x')
  })
  let accepted = 0
  server.server.on('connection', () => (accepted += 1))
  const { port } = new URL(await server.listen({ port: 0, host: '0.0.0.0' }))
  const from = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ host: localAddress, port: Number(port), localAddress })
    await once(socket, 'connect')
    return socket
  }
  /** Sends a request on each connection, and reads the answers. */
  const ask = async (sockets: readonly Socket[]): Promise<void> => {
    await expect.poll(() => accepted).toBe(sockets.length)
    // The server reads none of the requests before the last one is written.
    for (const socket of sockets) {
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    }
    for (const answer of await Promise.all(sockets.map((socket) => text(socket)))) {
      expect(answer).toContain('200 OK')
    }
    await server.close()
    expect(answered).toHaveLength(sockets.length)
  }
  return { answered, from, ask }
}

test('the server answers an address before most requests of an address with many connections', async () => {
  const { answered, from, ask } = await listen(400)
  const flood = await Promise.all(Array.from({ length: 200 }, () => from('127.0.0.1')))
  await ask([...flood, await from('127.0.0.2')])
  expect(answered.indexOf('127.0.0.2')).toBeLessThan(100)
})

test('the callers of a proxy do not wait for each other, although they have one address', async () => {
  const { answered, from, ask } = await listen(500)
  const sockets = await Promise.all(Array.from({ length: 200 }, () => from('127.0.0.1')))
  let [before, mostOfRound] = [0, 0]
  const watch = async (): Promise<void> => {
    while (answered.length < sockets.length) {
      await setImmediate()
      mostOfRound = Math.max(mostOfRound, answered.length - before)
      before = answered.length
    }
  }
  await Promise.all([ask(sockets), watch()])
  expect(mostOfRound).toBeGreaterThan(4 * REQUESTS_PER_ROUND)
})
