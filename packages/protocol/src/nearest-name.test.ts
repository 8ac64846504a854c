import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

const KNOWN = ['email', 'host', 'port', 'publicUrl', 'reportPath', 'tls']

test.each([
  ['prot', 'port'],
  ['Port', 'port'],
  ['hosts', 'host'],
  ['public_url', 'publicUrl'],
  ['report-paht', 'reportPath'],
  ['tsl', undefined],
  ['Remark', undefined],
  ['certificate', undefined],
  ['', undefined],
])('%j most likely stands for %j', (name, expected) => {
  expect(nearestName(name, KNOWN)).toBe(expected)
})

test('finds no name if no name is known', () => {
  expect(nearestName('host', [])).toBeUndefined()
})

test('finds no name for a name as long as a request', () => {
  expect(nearestName('x'.repeat(1_000_000), KNOWN)).toBeUndefined()
})
