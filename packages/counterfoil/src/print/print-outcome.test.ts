import { expect, test } from 'vitest'
import { formatBytes } from './print-outcome.ts'

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [12_345_678, '12.3 MB'],
  [1_000_000_000, '1 GB'],
  [12_000_000_000_000, '12,000 GB'],
])('says %d bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
