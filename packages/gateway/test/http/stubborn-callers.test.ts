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
  'a connection that sent %s and is never ended by its caller is ended by the gateway',
  async (_, bytes, status) => {
    // It ends its own half never, and the gateway must not wait for it.
    const port = gateway.port
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString())).on('error', () => {})
    socket.write(bytes)
    await once(socket, 'end')
    expect(received).toContain(`HTTP/1.1 ${status} `)
    // On a connection that is gone, one of these writes is answered with a reset.
    const gone = new Promise((resolve) => socket.on('close', () => resolve('gone')))
    const writing = setInterval(() => socket.write('x'), 100)
    expect(await Promise.race([gone, sleep(60_000)])).toBe('gone')
    clearInterval(writing)
  },
)

test('garbage behind a request cuts its report, and puts no other answer into it', async () => {
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
