import { expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { problemOf } from './malformed.ts'

const withCode = (code: string) => Object.assign(new Error('SECRET'), { code })

test.each([
  [withCode('HPE_HEADER_OVERFLOW'), 'headers-too-large', '16 KiB'],
  [withCode('ERR_HTTP_REQUEST_TIMEOUT'), 'request-timeout', 'expected the headers within'],
  [withCode('FST_ERR_BAD_URL'), 'not-found', 'a well-formed path'],
  [withCode('FST_ERR_MAX_PARAM_LENGTH'), 'not-found', 'at most 100 characters'],
  [withCode('ECONNRESET'), 'malformed-http', 'incomplete'],
  [withCode('ENOSPC'), 'internal-error', 'failed'],
  ['text', 'internal-error', 'failed'],
  [undefined, 'internal-error', 'failed'],
  [{ code: 'FST_ERR_BAD_URL' }, 'internal-error', 'failed'],
  [new GatewayError('shutting-down', 'own'), 'shutting-down', 'own'],
])('turns %j into the problem %s, and hides the original message', (thrown, code, message) => {
  const error = problemOf(thrown)
  expect(error.code).toBe(code)
  expect(error.message).toContain(message)
  expect(error.message).not.toContain('SECRET')
})
