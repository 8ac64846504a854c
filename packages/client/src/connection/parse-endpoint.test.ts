import { expect, test } from 'vitest'
import { parseEndpoint } from './connection.ts'

test.each([
  'https://gateway.example/ui/services/v2/rpt-engine',
  'http://localhost:8080/report',
  'http://127.0.0.1:8080/report',
  'http://127.1.2.3/report',
  'http://[::1]:8080/report',
])('accepts %s', (endpoint) => {
  expect(parseEndpoint(endpoint, false).href).toBe(endpoint)
})

test.each([
  'http://gateway.example/',
  'http://127.0.0.1.example/',
  'http://10.0.0.1/',
  'http://[::2]/',
])('accepts %s only if plain HTTP is allowed', (endpoint) => {
  expect(() => parseEndpoint(endpoint, false)).toThrow(/expected https:, got http: to/)
  expect(parseEndpoint(endpoint, true).href).toBe(endpoint)
})

test.each([
  ['gateway.example', /begins with https:/],
  ['ftp://gateway.example/', /begins with https:/],
  ['', /begins with https:/],
  ['https://shop:secret@gateway.example/', /without a user name or password/],
])('refuses %j', (endpoint, message) => {
  expect(() => parseEndpoint(endpoint, true)).toThrow(
    expect.objectContaining({ code: 'invalid-settings', message: expect.stringMatching(message) }),
  )
})
