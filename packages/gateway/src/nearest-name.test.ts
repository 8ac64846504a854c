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

test('where nothing is known there is no nearest name', () => {
  expect(nearestName('host', [])).toBeUndefined()
})

test('a name as long as a request is near to none', () => {
  expect(nearestName('x'.repeat(1_000_000), KNOWN)).toBeUndefined()
})
