import { expect, test } from 'vitest'
import { expectedMethods, knownPaths } from './check-request.ts'

const methodsAt = knownPaths(
  new Map([
    ['/report', {}],
    ['/payout/:segment', {}],
    ['/runs/:segment', { methods: ['GET', 'POST'] }],
  ]),
  ['/livez'],
)

test('looks up the methods of a path', () => {
  const methods = ['/report', '/payout/7', '/runs/7', '/livez'].map(methodsAt)
  expect(methods).toEqual(['POST', 'POST', 'GET, POST', 'GET, HEAD'])
})

const SLASH = 'this path without the "/" at its end'
const LISTED = 'a path that the gateway serves: GET /.well-known/counterfoil lists them'

test.each([
  ...['/report/', '/payout/7/', '/livez/'].map((path) => [path, SLASH] as const),
  ...['/', '//', '/other', '/other/', '/report//', '/payout/'].map(
    (path) => [path, LISTED] as const,
  ),
])('the error for %s says: expected %s', (path, expected) => {
  const error = { code: 'not-found', message: `expected ${expected}` }
  expect(() => methodsAt(path)).toThrow(expect.objectContaining(error))
})

test('the error for a POST to a page names the path that shows the report URL', () => {
  expect(expectedMethods('GET, HEAD', 'PUT')).toBe('expected GET, HEAD')
  expect(expectedMethods('GET, HEAD', 'POST')).toBe(
    'expected GET, HEAD here; GET /.well-known/counterfoil shows the report URL',
  )
})
