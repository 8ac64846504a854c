import { describe, expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { connectionLimits, networkOf } from './connections.ts'

describe('the limits on connections', () => {
  test('leave the engine its open files', () => {
    const { ownFilesMax, filesPerReportMax } = LIMITS
    const openFilesMax = ownFilesMax + 8 * filesPerReportMax + 1_000
    expect(connectionLimits(openFilesMax, 8, true)).toEqual({
      max: 1_000,
      perAddressMax: 1_000,
      isTight: false,
    })
    expect(connectionLimits(openFilesMax, 8, false).perAddressMax).toBe(250)
  })

  test('are the same for any number of open files that is large enough', () => {
    for (const openFilesMax of [1_000_000, Number.POSITIVE_INFINITY]) {
      expect(connectionLimits(openFilesMax, 24, true).max).toBe(LIMITS.connectionsMax)
      expect(connectionLimits(openFilesMax, 24, false).perAddressMax).toBe(256)
    }
  })

  test('share too few open files with the engine', () => {
    expect(connectionLimits(1_024, 8, true)).toMatchObject({ max: 256, isTight: true })
  })
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
])('a connection from %s counts for %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('counts the addresses of one IPv6 network together, and two networks apart', () => {
  expect(networkOf('::1')).toBe(networkOf('::2'))
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'))
})
