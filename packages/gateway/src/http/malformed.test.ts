import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { answerMalformed, problemOf } from './malformed.ts'

const withCode = (code: string) => Object.assign(new Error('SECRET'), { code })

test.each([
  ['HPE_HEADER_OVERFLOW', 'headers-too-large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout'],
  ['FST_ERR_BAD_URL', 'not-found'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not-found'],
  ['ECONNRESET', 'malformed-http'],
  ['ENOSPC', 'internal-error'],
])('maps %s to the problem %s, and hides the original message', (code, problem) => {
  const error = problemOf(withCode(code))
  expect(error).toMatchObject({ code: problem })
  expect(error.message).not.toContain('SECRET')
})

test('a path whose last segment is too long: names what may be there, and the limit', () => {
  expect(problemOf(withCode('FST_ERR_MAX_PARAM_LENGTH')).message).toBe(
    'expected the id of a run or of an endpoint at the end of the path: at most 100 characters',
  )
})

test('returns a GatewayError unchanged, and any other error as internal-error', () => {
  const own = new GatewayError('shutting-down', 'x')
  expect(problemOf(own)).toBe(own)
  for (const thrown of ['text', undefined, null, { code: 'FST_ERR_BAD_URL' }]) {
    expect(problemOf(thrown)).toMatchObject({ code: 'internal-error' })
  }
})

/** Returns the answer to malformed bytes. */
async function answerTo(thrown: Error, before?: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    before?.(socket)
    answerMalformed(thrown, socket, [])
    socket.destroySoon()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const answer = await text(connect({ host: '127.0.0.1', port }))
  server.close()
  return answer
}

test.each([
  ['HPE_INVALID_METHOD', '400 Bad Request', 'malformed-http'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'request-timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large', 'headers-too-large'],
])('%s is answered with %s', async (code, status, problem) => {
  const answer = await answerTo(withCode(code))
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`))
  expect(head).toContain(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`)
  expect(JSON.parse(body)).toMatchObject({ code: problem, requestId: '' })
  expect(answer).not.toContain('SECRET')
})

test('sends nothing to a caller that has disconnected', async () => {
  expect(await answerTo(withCode('ECONNRESET'))).toBe('')
  expect(await answerTo(withCode('HPE_INVALID_METHOD'), (socket) => socket.end())).toBe('')
})
