import { expect, test } from 'vitest'
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
  const cookie = `__Host-counterfoil=${TOKEN}`
  const attributes = 'Path=/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure'
  expect(sessionCookie(HTTPS, TOKEN, 3600)).toBe(`${cookie}; ${attributes}`)
  expect(readSessionCookie(HTTPS, `a=b; counterfoil=x; ${cookie};c=d`)).toBe(TOKEN)
  for (const header of ['', `${cookie}; ${cookie}`, `${cookie}x`, `counterfoil=${TOKEN}`]) {
    expect(readSessionCookie(HTTPS, header)).toBeUndefined()
  }
})
