import { describe, expect, it } from 'vitest'
import { decodeBase64, encodeBase64 } from './base64.ts'

describe('decodeBase64', () => {
  it('reads canonical base64', () => {
    expect([...(decodeBase64('AAEC/f7/') ?? [])]).toEqual([0, 1, 2, 253, 254, 255])
    expect([...(decodeBase64('AA==') ?? [])]).toEqual([0])
    expect(encodeBase64(Uint8Array.of(0, 1, 2, 253, 254, 255))).toBe('AAEC/f7/')
  })

  it('refuses missing padding, stray bits, spaces, the URL alphabet and other text', () => {
    for (const text of ['AA', 'AB==', 'AA= =', ' AA==', 'AA==\n', '_-8=', 'AA===', '!', 'é']) {
      expect(decodeBase64(text)).toBe(undefined)
    }
  })
})
