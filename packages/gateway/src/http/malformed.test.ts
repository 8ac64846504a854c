import { expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { problemOf } from './malformed.ts'

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
