import { NotAuthorised, ReportRefused } from '@counterfoil/client'
import { expect, test } from 'vitest'
import { adviseProblem, adviseRefusal } from './end-with-error.ts'

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

function adviceFor(code: string, pointer: string, expected: string): string | undefined {
  const problem = {
    type: `urn:counterfoil:problem:${code}`,
    title: 'A field of the report request is not valid',
    status: 422,
    code,
    detail: 'faults',
    requestId: 'request-1',
    errors: [{ pointer, expected }],
  }
  return adviseProblem(new ReportRefused(problem))
}

test('a report that the role does not have: choose one that it has', () => {
  const expected = 'a report for the role merchant: transactions-list'
  expect(adviceFor('unknown-report', '/reportIdentifier', expected)).toBe(
    'choose a report of the list; a report that is missing there does not exist, or needs a login of another role',
  )
})

test.each([
  ['/inputReportParameters/1/value', 'for dateTo a day', 'correct --to'],
  ['/inputReportParameters', 'a dateTo that is after dateFrom', 'correct --from, --to'],
  ['/inputReportParameters/0/value', 'for timezone an IANA time zone', 'correct --timezone'],
  ['/inputReportParameters/0/value', 'for statuses one of approved', 'correct --parameter'],
  ['/filters/merchants/0', 'an id of a merchant', 'correct --filter'],
  ['/reportEncode', 'one of UTF-8', 'correct --encode'],
  ['', 'an object', undefined],
])('a fault at "%s", %s: %s', (pointer, expected, advice) => {
  expect(adviceFor('invalid-field', pointer, expected)).toBe(advice)
})
