import { describe, expect, it } from 'vitest'
import { caught } from '../../test/caught.ts'
import { normalizeParameters, percentDecode, percentEncode } from './parameters.ts'

describe('percentEncode', () => {
  it('keeps unreserved characters only', () => {
    const unreserved = 'ABCXYZabcxyz0189-._~'
    expect(percentEncode(unreserved)).toBe(unreserved)
    for (let code = 0; code < 128; code += 1) {
      const character = String.fromCharCode(code)
      const hex = `%${code.toString(16).toUpperCase().padStart(2, '0')}`
      const expected = /[A-Za-z0-9\-._~]/.test(character) ? character : hex
      expect(percentEncode(character)).toBe(expected)
    }
  })

  it("encodes the five characters that encodeURIComponent keeps: ! ' ( ) *", () => {
    expect(percentEncode("!'()*")).toBe('%21%27%28%29%2A')
  })

  it('encodes text as UTF-8, with upper-case hex', () => {
    expect(percentEncode('да ☃ 😀')).toBe('%D0%B4%D0%B0%20%E2%98%83%20%F0%9F%98%80')
  })

  it('refuses text that is not well-formed Unicode', async () => {
    expect(await caught(() => percentEncode('\ud800'))).toMatchObject({ code: 'encoding' })
  })
})

describe('percentDecode', () => {
  it('decodes hex digits in either case, and keeps a plus', () => {
    expect(percentDecode('%d0%B4+%2B')).toBe('д++')
  })

  it('refuses a percent sign without two hex digits', async () => {
    for (const text of ['%', '%2', '%zz', 'a%2', '100%']) {
      expect(await caught(() => percentDecode(text))).toMatchObject({ code: 'encoding' })
    }
  })

  it('refuses invalid UTF-8: a lone byte, an overlong form, a surrogate, a truncated sequence', async () => {
    for (const text of ['%ff', '%c0%af', '%ed%a0%80', '%e2%98', '%f5%80%80%80']) {
      expect(await caught(() => percentDecode(text))).toMatchObject({ code: 'encoding' })
    }
  })
})

describe('normalizeParameters', () => {
  it('sorts by code unit, not by locale: destination-card-no comes before destination_card_...', () => {
    const parameters = [
      ['destination_card_recurring_payment_id', '1'],
      ['destination-card-no', '2'],
      ['b', '3'],
      ['B', '4'],
    ] as const
    expect(normalizeParameters(parameters)).toBe(
      'B=4&b=3&destination-card-no=2&destination_card_recurring_payment_id=1',
    )
  })

  it('sorts by name and then value, not by the joined text, in which "=" comes after "-" and digits', () => {
    const parameters = [
      ['a1', '1'],
      ['a-b', '2'],
      ['a', 'z'],
      ['a', 'y'],
    ] as const
    expect(normalizeParameters(parameters)).toBe('a=y&a=z&a-b=2&a1=1')
  })

  it('sorts after encoding, which puts "é" and "☃" before "z"', () => {
    const parameters = [
      ['z', ''],
      ['é', ''],
      ['☃', ''],
    ] as const
    expect(normalizeParameters(parameters)).toBe('%C3%A9=&%E2%98%83=&z=')
  })
})
