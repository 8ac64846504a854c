import { expect, test } from 'vitest'
import { Sums } from './sums.ts'

function add(sums: Sums, key: string): void {
  const record = Buffer.from(`${key}\x1f1`)
  sums.add(record, 0, record.length)
}

/** Returns the least time of summing rows with some keys, in milliseconds. */
function timeOf(keys: readonly string[]): number {
  const times = [1, 2, 3].map(() => {
    const sums = new Sums()
    const startedAt = performance.now()
    for (const key of keys) add(sums, key)
    const time = performance.now() - startedAt
    expect(sums.groups()).toHaveLength(keys.length)
    return time
  })
  return Math.min(...times)
}

test('keys that look alike take no longer than others', () => {
  const keysOf = (zero: string, one: string) => {
    return Array.from({ length: 10_000 }, (_, index) => {
      return index.toString(2).padStart(14, '0').replaceAll('0', zero).replaceAll('1', one)
    })
  }
  // A well-known hash of strings is the same for both, so each key would be compared with all before it: that takes a
  // hundred times as long. A loaded machine alone makes no factor of 20.
  expect(timeOf(keysOf('Aa', 'BB'))).toBeLessThan(20 * timeOf(keysOf('Ab', 'BB')))
})

test('has no groups if their keys are too long together', () => {
  const sums = new Sums()
  for (let index = 0; index < 40; index += 1) add(sums, `${index}${'x'.repeat(100_000)}`)
  expect(sums.groups()).toHaveLength(40)
  for (let index = 40; index < 50; index += 1) add(sums, `${index}${'x'.repeat(100_000)}`)
  expect(sums.groups()).toBeUndefined()
})
