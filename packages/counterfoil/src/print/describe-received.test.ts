import { ReportRefused } from '@counterfoil/client'
import { expect, test } from 'vitest'
import { describeReceived } from './describe-received.ts'
import { describeError } from './end-with-error.ts'
import { formatBytes } from './text.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [12_345_678, '12.3 MB'],
  [1_000_000_000, '1 GB'],
  [12_000_000_000_000, '12,000 GB'],
])('says %d bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  ['unknown-run', 404, 'check the RUN: counterfoil runs lists yours.'],
  [
    'unknown-report',
    422,
    'choose a report of the list; a report that is missing there does not exist, or needs a login of another role.',
  ],
])('%s: says what to do', (code, status, advice) => {
  const texts = { type: `urn:counterfoil:problem:${code}`, title: 'none', detail: 'none' }
  const error = new ReportRefused({ ...texts, status, code, requestId: 'request-1' })
  const circumstances = { url: '--endpoint', state: undefined, hasCa: false } as const
  expect(describeError(error, circumstances)).toContain(`Next: ${advice}\n`)
})

test.each([
  ['text/csv; charset=UTF-8', 'trailers', 'digest and row count agree.'],
  ['application/pdf', 'trailers', 'the digest agrees.'],
  ['application/x-ndjson', 'manifest', 'the digest agrees with the manifest.'],
] as const)('%s: says what agreed', (contentType, proof, agreed) => {
  const received = { file: 'a', rows: 1, bytes: 1, replaced: 0, sha256: '00', seconds: 1 }
  const head = { runId: undefined, newestRow: undefined }
  const text = describeReceived({ ...received, ...head, contentType, proof })
  expect(text).toBe(`Saved a: 1 row, 1 byte in 1.00 s; ${agreed}\nsha256 00\n`)
})

test.each([
  [1, 'The encoding lacks 1 character of the report: it became a question mark.\n'],
  [2, 'The encoding lacks 2 characters of the report: each became a question mark.\n'],
])('%d replaced characters: says what became of them', (replaced, sentence) => {
  const received = { file: 'a', rows: 2, bytes: 2, replaced, sha256: '00', seconds: 1 }
  const head = { runId: undefined, newestRow: undefined, contentType: 'text/csv' } as const
  const text = describeReceived({ ...received, ...head, proof: 'trailers' })
  expect(text).toBe(
    `Saved a: 2 rows, 2 bytes in 1.00 s; digest and row count agree.\nsha256 00\n${sentence}`,
  )
})
