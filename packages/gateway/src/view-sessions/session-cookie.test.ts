import { describe, expect, test } from 'vitest'
import {
  hashViewToken,
  isViewToken,
  makeViewToken,
  readSessionCookie,
  sessionCookie,
} from './session-cookie.ts'

const HTTPS = 'https://reports.example.com'
const TOKEN = 'abcdefghijklmnopqrstuvwxyz-_ABCDEFGHIJ01234'

test('a token has 256 random bits, and the store knows its SHA-256 only', () => {
  const [one, other] = [makeViewToken(), makeViewToken()]
  expect(isViewToken(one)).toBe(true)
  expect(Buffer.from(one, 'base64url')).toHaveLength(32)
  expect(one).not.toBe(other)
  expect(hashViewToken('abc')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('over HTTPS, the cookie is bound to the host and to HTTPS', () => {
  expect(sessionCookie(HTTPS, TOKEN, 3600)).toBe(
    `__Host-counterfoil=${TOKEN}; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure`,
  )
})

describe('a Cookie header', () => {
  const own = `__Host-counterfoil=${TOKEN}`

  test.each([own, `a=b; ${own}`, `${own};c=d`, `counterfoil=x; ${own}; __Host-counterfoil2=x`])(
    '%j has the token',
    (header) => expect(readSessionCookie(HTTPS, header)).toBe(TOKEN),
  )

  test.each([
    '',
    ';',
    `${own}; ${own}`,
    `${own}; __Host-counterfoil=`,
    `${own}x`,
    own.slice(0, -1),
    `__Host-counterfoil="${TOKEN}"`,
    `counterfoil=${TOKEN}`,
    `__host-counterfoil=${TOKEN}`,
    `__Host-counterfoil=${TOKEN.replace('a', '%61')}`,
  ])('%j has no token', (header) => expect(readSessionCookie(HTTPS, header)).toBeUndefined())
})
