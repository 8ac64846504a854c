import { expect, test } from 'vitest'
import { expectedMethods, knownPaths } from './check-request.ts'

const methodsAt = knownPaths(
  new Map([
    ['/report', {}],
    ['/payout/:segment', {}],
    ['/runs/:segment', { methods: ['GET', 'POST'] }],
  ]),
  ['/healthz'],
)

test('looks up the methods of a path', () => {
  const methods = ['/report', '/payout/7', '/runs/7', '/healthz'].map(methodsAt)
  expect(methods).toEqual(['POST', 'POST', 'GET, POST', 'GET, HEAD'])
})

test.each(['/report/', '/payout/7/', '/healthz/'])('the error for %s names the slash', (path) => {
  const message = 'expected this path without the "/" at its end'
  expect(() => methodsAt(path)).toThrow(expect.objectContaining({ code: 'not-found', message }))
})

test.each(['/', '//', '/other', '/other/', '/report//', '/payout/'])(
  'the error for %s names the path that lists them',
  (path) => {
    const message =
      'expected a path that the gateway serves: GET /.well-known/counterfoil lists them'
    expect(() => methodsAt(path)).toThrow(expect.objectContaining({ code: 'not-found', message }))
  },
)

test('the error for a POST to a page names the path that shows the report URL', () => {
  expect(expectedMethods('GET, HEAD', 'PUT')).toBe('expected GET, HEAD')
  expect(expectedMethods('GET, HEAD', 'POST')).toBe(
    'expected GET, HEAD here; GET /.well-known/counterfoil shows the report URL',
  )
})
