import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parameters, signRequest } from '../kit/ask.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const WIDE = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }

const { sandbox, gateway } = await serveSandbox()

test.each([
  ['garbage', 'GARBAGE\r\n\r\n', 400],
  ['too many headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}`, 431],
])(
  'closes a connection that sent %s, although the caller never ends it',
  async (_, bytes, status) => {
    // The caller never ends its own half of the connection, and the gateway must not wait for it.
    const port = gateway.port
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString())).on('error', () => {})
    socket.write(bytes)
    await once(socket, 'end')
    expect(received).toContain(`HTTP/1.1 ${status} `)
    // After the gateway has closed the connection, one of these writes gets a reset.
    const gone = new Promise((resolve) => socket.on('close', () => resolve('gone')))
    const writing = setInterval(() => socket.write('x'), 100)
    expect(await Promise.race([gone, sleep(60_000)])).toBe('gone')
    clearInterval(writing)
  },
)

test('cuts off a report if garbage follows its request, and puts no other answer into it', async () => {
  const connection = await connectRaw(gateway.port)
  connection.write(bytesOf(await signRequest(gateway, sandbox.logins.operator, WIDE)))
  await once(connection.socket, 'data')
  connection.socket.pause()
  connection.write('GARBAGE\r\n\r\n')
  await sleep(200)
  connection.socket.resume()
  const received = (await connection.received).toString('latin1')
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(received.split('HTTP/1.1 ')).toHaveLength(2)
  expect(received.endsWith('\r\n0\r\n\r\n')).toBe(false)
})
