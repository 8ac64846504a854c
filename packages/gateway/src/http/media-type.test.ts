import { expect, test } from 'vitest'
import { mediaTypeFault } from './media-type.ts'

const PAN = '4111111111111111'

test.each([
  ['json', undefined, 'none'],
  ['json', 'text/csv', 'text/csv'],
  ['json', 'Application/XML; charset=utf-8', 'application/xml'],
  ['json', 'application/json; charset=latin1', 'the charset latin1'],
  ['json', 'application/json; charset="UTF-16"', 'the charset utf-16'],
  ['json', 'application/json; charset=\u00e9', 'a malformed charset'],
  ['json', `application/json; charset=${'x'.repeat(41)}`, 'a malformed charset'],
  ['json', 'a-secret-without-a-slash', 'a malformed one'],
  ['json', `text/${'x'.repeat(95)}`, `text/${'x'.repeat(95)}`],
  ['json', `text/${'x'.repeat(96)}`, 'a malformed one'],
  ['json', 'text/\u00e9', 'a malformed one'],
  ['json', `text/${PAN}`, 'a malformed one'],
  ['json', '', 'a malformed one'],
  ['form', 'application/json; charset=latin1', 'application/json'],
  ['form', 'multipart/form-data; boundary=x', 'multipart/form-data'],
] as const)('the error for %s and the Content-Type %s names %s', (kind, contentType, got) => {
  const fault = mediaTypeFault(kind, { contentType, contentEncoding: undefined })
  const types = { json: 'application/json, in UTF-8', form: 'application/x-www-form-urlencoded' }
  const message = `expected Content-Type: ${types[kind]}; got ${got}`
  expect(fault).toMatchObject({ code: 'unsupported-media-type', message })
})

test.each([
  ['gzip', 'gzip'],
  ['gzip, br', 'a malformed one'],
  [PAN, 'a malformed one'],
])('the error for the Content-Encoding %s names %s', (contentEncoding, got) => {
  const fault = mediaTypeFault('json', { contentType: 'application/json', contentEncoding })
  expect(fault?.message).toBe(`expected a body without Content-Encoding; got ${got}`)
})
