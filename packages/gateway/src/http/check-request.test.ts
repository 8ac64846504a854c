import { expect, test } from 'vitest'
import { originFormOf } from './check-request.ts'

const OURS = new Set(['reports.example.com', 'old.example.com:8443'])

test.each([
  ['/path?a=1', '/path?a=1'],
  ['http://reports.example.com/path?a=1', '/path?a=1'],
  ['https://REPORTS.example.com/%7e?a=%20', '/%7e?a=%20'],
  ['https://reports.example.com:443/', '/'],
  ['https://old.example.com:8443/path', '/path'],
  ['https://reports.example.com', '/'],
  ['https://reports.example.com?a=1', '/?a=1'],
])('reduces a target with a host of the gateway to its path and query: %s', (target, expected) => {
  expect(originFormOf(target, OURS)).toBe(expected)
})

test.each([
  'http://evil.example/',
  'http://reports.example.comhttp/',
  'http://reports.example.com:81/',
  'http://old.example.com/',
  'http://user@reports.example.com/',
  'http://reports.example.com@evil.example/',
  'ftp://reports.example.com/',
  'http://',
  '*',
])('leaves any other target unchanged: %s', (target) => {
  expect(originFormOf(target, OURS)).toBe(target)
})
