import { describe, expect, it } from 'vitest'
import { createMemoryNonces } from './verifier.ts'

const NOW = 1_700_000_000
const use = (nonce: string, timestampSeconds = NOW, consumerKey = 'shop') => {
  return { consumerKey, timestampSeconds, nonce }
}

describe('createMemoryNonces', () => {
  it('accepts a nonce once for each login and timestamp', () => {
    const { spendNonce } = createMemoryNonces(() => NOW)
    expect(spendNonce(use('a'))).toBe('spent')
    expect(spendNonce(use('a'))).toBe('replayed')
    expect(spendNonce(use('b'))).toBe('spent')
    expect(spendNonce(use('a', NOW + 1))).toBe('spent')
    expect(spendNonce(use('a', NOW, 'other'))).toBe('spent')
  })

  it('forgets nonces by time, and refuses every timestamp that it forgot', () => {
    let now = NOW
    const { spendNonce } = createMemoryNonces(() => now)
    expect(spendNonce(use('a'))).toBe('spent')
    now = NOW + 359.9
    expect(spendNonce(use('a'))).toBe('replayed')
    now = NOW + 360
    expect(spendNonce(use('a'))).toBe('expired')
    expect(spendNonce(use('new', NOW))).toBe('expired')
    expect(spendNonce(use('a', NOW + 1))).toBe('spent')
  })

  it('accepts no nonce twice when the clock jumps back', () => {
    let now = NOW
    const { spendNonce } = createMemoryNonces(() => now)
    expect(spendNonce(use('a'))).toBe('spent')
    now = NOW + 1000
    expect(spendNonce(use('b', now))).toBe('spent')
    now = NOW
    expect(spendNonce(use('a'))).toBe('expired')
  })
})
