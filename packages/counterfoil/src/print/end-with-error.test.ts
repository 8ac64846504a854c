import { NotAuthorised } from '@counterfoil/client'
import { expect, test } from 'vitest'
import { adviseRefusal } from './end-with-error.ts'

test.each([
  ['Reason: expected oauth_body_hash, which this login must sign, got none', 'add --sign-body'],
  [
    'Reason: expected a login that has an active key for HMAC-SHA1, got keys for RSA-SHA256 only',
    'use --private-key',
  ],
  [
    'Reason: expected a login that has an active key for RSA-SHA256, got keys for HMAC-SHA1 only',
    'use --control-key-file',
  ],
  [
    'Reason: expected a login that has an active key for HMAC-SHA1, got no active key',
    'ask the operator for a key',
  ],
  [
    'Step that failed: signature\nReason: expected the signature of this base string',
    'the address and the clock are right, so the key is wrong: check that it is the key of this login in this environment',
  ],
  ['Request id: request-1', undefined],
])('%s: %s', (refusal, advice) => {
  expect(adviseRefusal(new NotAuthorised('refused', refusal))).toBe(advice)
})
