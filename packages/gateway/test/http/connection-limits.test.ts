import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connectionLimits, limitConnections } from '../../src/http/connections.ts'
import { LIMITS } from '../../src/limits.ts'
import { ask, open, parameters, read } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '400' }) }
const OPEN_FILES = 1000
/** So few that the gateway warns. */
const FEW_FILES = 900

let sandbox: Sandbox
let gateway: ChildGateway
beforeAll(async () => {
  sandbox = await makeSandbox()
})
afterAll(() => sandbox.remove())

/** Serves the sandbox for the tests of a group. */
function serveGroup(change: object, openFilesMax: number): void {
  beforeAll(async () => {
    gateway = await serveInChild(sandbox, change, openFilesMax)
  })
  afterAll(async () => {
    gateway.kill('SIGTERM')
    await gateway.ended
  })
}

/** Opens silent connections. Returns a live set of the connections that are still open. */
async function flood(port: number, count: number): Promise<ReadonlySet<Socket>> {
  const sockets = new Set<Socket>()
  await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ host: '127.0.0.1', port })
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
      sockets.add(socket)
      await once(socket, 'connect')
    }),
  )
  // The gateway closes refused connections at once. After one more round trip, all of them are closed.
  const last = connect({ host: '127.0.0.1', port }).on('error', () => {})
  await once(last, 'close').catch(() => {})
  return sockets
}

async function visit(agent: Agent): Promise<void> {
  const { get } = await import('node:http')
  const [answer] = await once(
    get(`http://127.0.0.1:${gateway.port}/healthz`, { agent }),
    'response',
  )
  answer.resume()
  await once(answer, 'close')
}

describe('a gateway behind a proxy', () => {
  serveGroup({ engine: { sessions: 2 }, proxyEndsTls: true }, OPEN_FILES)

  test('refuses more connections than the open files allow, and continues running reports', async () => {
    const { operator, merchant } = sandbox.logins
    const running = await Promise.all([
      open(gateway, operator, WIDE),
      open(gateway, merchant, WIDE),
    ])
    const left = await flood(gateway.port, OPEN_FILES)
    await expect.poll(() => left.size).toBeLessThan(OPEN_FILES - 500)
    expect(left.size).toBeGreaterThan(100)
    for (const answer of running) {
      expect((await read(answer)).trailers).toHaveProperty('repr-digest')
    }
    for (const socket of left) socket.destroy()
    expect((await ask(gateway, operator)).trailers).toHaveProperty('repr-digest')
    expect(gateway.stdout()).not.toContain('EMFILE')
    expect(gateway.stdout()).not.toContain('may open')
  })

  test('closes idle connections when the gateway is full', async () => {
    const agents = Array.from({ length: 300 }, () => new Agent({ keepAlive: true }))
    for (const agent of agents) await visit(agent)
    const left = await flood(gateway.port, OPEN_FILES)
    for (const socket of left) socket.destroy()
    await expect
      .poll(() => agents.filter(({ freeSockets }) => Object.keys(freeSockets).length > 0).length)
      .toBeLessThan(10)
    for (const agent of agents) agent.destroy()
  })
})

describe('a gateway without a proxy', () => {
  serveGroup({ engine: { sessions: 3 } }, FEW_FILES)

  test('warns of a low limit on open files', async () => {
    expect(await gateway.line(/"warn"/)).toContain(`may open ${FEW_FILES} files only`)
  })

  test('closes all connections of an address that sends too many requests at once again and again', async () => {
    const from = async (localAddress: string): Promise<Socket> => {
      const socket = connect({ host: '127.0.0.1', port: gateway.port, localAddress })
      await once(socket.on('error', () => {}).resume(), 'connect')
      return socket
    }
    const many = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(
      LIMITS.pipelinedRequestsMax + 2,
    )
    const silent = await Promise.all([from('127.0.0.3'), from('127.0.0.3'), from('127.0.0.4')])
    const least = Math.floor(LIMITS.newConnectionsMax / LIMITS.costlyConnectionCost)
    let attempts = 0
    // Twice as many are necessary if a new window begins in between.
    while (!silent[0]?.closed && attempts < 3 * least) {
      attempts += 1
      const socket = await from('127.0.0.3')
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.write(many)
      await closed
    }
    await expect.poll(() => silent.map(({ closed }) => closed)).toEqual([true, true, false])
    expect(attempts).toBeGreaterThanOrEqual(least)
    const other = await from('127.0.0.4')
    other.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [answer] = await once(other, 'data')
    expect(String(answer)).toContain('200 OK')
    for (const socket of [...silent, other]) socket.destroy()
  })

  test('gives one address a quarter of the connections if no proxy is declared', async () => {
    const left = await flood(gateway.port, OPEN_FILES)
    const { max, perAddressMax } = connectionLimits(FEW_FILES, 3, false)
    expect(perAddressMax).toBeLessThan(max / 3)
    await expect.poll(() => left.size).toBeLessThanOrEqual(perAddressMax)
    expect(left.size).toBeGreaterThan(perAddressMax / 2)
    for (const socket of left) socket.destroy()
  })
})

test('limits how often one address connects', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const server = createServer()
  const limits = { max: 10, perAddressMax: 5 }
  limitConnections(Object.assign(server, { closeIdleConnections: () => {} }), limits)
  server.on('connection', (socket) => socket.end('x'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const visits = async (count: number): Promise<number> => {
    let answered = 0
    for (let index = 0; index < count; index += 1) {
      const socket = connect({ host: '127.0.0.1', port }).on('error', () => {})
      socket.on('data', () => (answered += 1))
      await once(socket, 'close')
    }
    return answered
  }
  expect(await visits(LIMITS.newConnectionsMax)).toBe(LIMITS.newConnectionsMax)
  expect(await visits(3)).toBe(0)
  vi.advanceTimersByTime(LIMITS.connectionsWindowMs)
  expect(await visits(3)).toBe(3)
  vi.useRealTimers()
  server.close()
})
