import { describe, expect, it } from 'vitest'
import { createMemoryNonces } from './memory-nonces.ts'

const NOW = 1_700_000_000
const use = (nonce: string, timestampSeconds = NOW, consumerKey = 'shop') => {
  return { consumerKey, timestampSeconds, nonce }
}

describe('createMemoryNonces', () => {
  it('accepts a nonce once for each login and timestamp', () => {
    const { spendNonce } = createMemoryNonces({ nowSeconds: () => NOW })
    expect(spendNonce(use('a'))).toBe('spent')
    expect(spendNonce(use('a'))).toBe('replayed')
    expect(spendNonce(use('b'))).toBe('spent')
    expect(spendNonce(use('a', NOW + 1))).toBe('spent')
    expect(spendNonce(use('a', NOW, 'other'))).toBe('spent')
  })

  it('forgets nonces by time, and refuses every timestamp that it forgot', () => {
    let now = NOW
    const { spendNonce } = createMemoryNonces({ nowSeconds: () => now })
    expect(spendNonce(use('a'))).toBe('spent')
    now = NOW + 359.9
    expect(spendNonce(use('a'))).toBe('replayed')
    now = NOW + 360
    expect(spendNonce(use('a'))).toBe('expired')
    expect(spendNonce(use('new', NOW))).toBe('expired')
    expect(spendNonce(use('a', NOW + 1))).toBe('spent')
  })

  it('forgets the nonces of a login that sends nothing more', () => {
    let now = NOW
    const { spendNonce } = createMemoryNonces({ nowSeconds: () => now })
    expect(spendNonce(use('a', NOW, 'silent'))).toBe('spent')
    now = NOW + 719
    expect(spendNonce(use('b', now))).toBe('spent')
    now = NOW
    expect(spendNonce(use('a', NOW, 'silent'))).toBe('expired')
  })

  it('accepts no nonce twice when the clock jumps back', () => {
    let now = NOW
    const { spendNonce } = createMemoryNonces({ nowSeconds: () => now })
    expect(spendNonce(use('a'))).toBe('spent')
    now = NOW + 1000
    expect(spendNonce(use('b', now))).toBe('spent')
    now = NOW
    expect(spendNonce(use('a'))).toBe('expired')
  })

  it('keeps at most its maximum, and still accepts no nonce twice', () => {
    const options = { nowSeconds: () => NOW, noncesPerLoginMax: 4 }
    const { spendNonce } = createMemoryNonces(options)
    const accepted = new Set<string>()
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 40; index += 1) {
        const timestamp = NOW - 20 + (index % 20)
        const key = `${timestamp} ${index}`
        if (spendNonce(use(`n${index}`, timestamp)) !== 'spent') continue
        expect(accepted.has(key)).toBe(false)
        accepted.add(key)
      }
    }
    expect(accepted.size > 4).toBe(true)
    expect(spendNonce(use('after', NOW + 1))).toBe('spent')
  })

  it('keeps the nonces of other logins when one login exceeds its share', () => {
    const { spendNonce } = createMemoryNonces({ nowSeconds: () => NOW, noncesPerLoginMax: 2 })
    expect(spendNonce(use('mine', NOW - 100, 'other'))).toBe('spent')
    for (let index = 0; index < 10; index += 1) spendNonce(use(`n${index}`, NOW + index))
    expect(spendNonce(use('mine', NOW - 100, 'other'))).toBe('replayed')
    expect(spendNonce(use('second', NOW - 100, 'other'))).toBe('spent')
  })
})
