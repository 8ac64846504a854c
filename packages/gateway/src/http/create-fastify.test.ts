import { once } from 'node:events'
import { Agent, createServer, get, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { changeLimits } from '../../test/kit/change-limits.ts'
import { limitConnections, networkOf } from './create-fastify.ts'

changeLimits({ connectionsMax: 8, connectionsPerAddressMax: 3 })

let server: Server
let closeConnections: () => void
afterEach(() => {
  closeConnections()
  server.close()
})

async function serve(isBehindProxy: boolean): Promise<number> {
  server = createServer((_, response) => response.end('x'))
  closeConnections = limitConnections(server, isBehindProxy)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Opens connections. Returns a live set of those that are still open. */
async function open(port: number, localAddress: string, count: number) {
  const sockets = new Set<Socket>()
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    await once(socket, 'connect')
  }
  return sockets
}

describe('a server', () => {
  test('closes the connections of an address beyond its maximum, and none of another', async () => {
    const port = await serve(false)
    const own = await open(port, '127.0.0.2', 6)
    await expect.poll(() => own.size).toBe(3)
    expect((await open(port, '127.0.0.3', 3)).size).toBe(3)
    for (const socket of own) socket.destroy()
    await expect.poll(async () => (await open(port, '127.0.0.2', 1)).size).toBe(1)
  })

  test('gives the address of a proxy all connections, and refuses more', async () => {
    const port = await serve(true)
    const sockets = await open(port, '127.0.0.2', 12)
    await expect.poll(() => sockets.size).toBe(8)
  })

  test('closes idle connections when it is full', async () => {
    const port = await serve(true)
    const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true }))
    for (const agent of agents) {
      const [answer] = await once(get({ host: '127.0.0.1', port, agent }), 'response')
      await once(answer.resume(), 'close')
    }
    await open(port, '127.0.0.2', 1)
    const idle = () => agents.filter(({ freeSockets }) => Object.keys(freeSockets).length > 0)
    await expect.poll(() => idle().length).toBe(0)
    for (const agent of agents) agent.destroy()
  })
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
])('a connection from %s counts for %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('counts the addresses of one IPv6 network together, and two networks apart', () => {
  expect(networkOf('::1')).toBe(networkOf('::2'))
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'))
})
