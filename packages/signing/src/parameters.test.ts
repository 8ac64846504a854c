import { describe, expect, it } from 'vitest'
import { caught } from '../test/caught.ts'
import {
  encodeForm,
  gatherParameters,
  isForm,
  normalizeParameters,
  parseForm,
} from './parameters.ts'

describe('isForm', () => {
  it('knows a form with a charset, in any case', () => {
    expect(isForm('application/x-www-form-urlencoded')).toBe(true)
    expect(isForm('application/x-www-form-urlencoded; charset=utf-8')).toBe(true)
    expect(isForm('Application/X-WWW-Form-URLEncoded;charset=UTF-8')).toBe(true)
  })

  it('knows that other media types are no form', () => {
    expect(isForm(undefined)).toBe(false)
    expect(isForm('application/json')).toBe(false)
    expect(isForm('application/x-www-form-urlencoded-not')).toBe(false)
    expect(isForm('multipart/form-data; boundary=x')).toBe(false)
  })
})

describe('parseForm', () => {
  it('keeps duplicates, their order, empty values and names without a value', () => {
    expect(parseForm('b=2&a=1&b=1&c&d=&=e&&f=g=h')).toEqual([
      ['b', '2'],
      ['a', '1'],
      ['b', '1'],
      ['c', ''],
      ['d', ''],
      ['', 'e'],
      ['f', 'g=h'],
    ])
  })

  it('reads a plus and %20 as a space, and %2B as a plus', () => {
    expect(parseForm('a+b=c%20d%2Be')).toEqual([['a b', 'c d+e']])
  })

  it('gives no parameters for an empty body', () => {
    expect(parseForm('')).toEqual([])
    expect(parseForm(new Uint8Array())).toEqual([])
  })

  it('refuses an invalid percent sequence, and bytes that are not UTF-8, encoded or raw', async () => {
    for (const body of ['a=%f', 'a=%ff', '%c3=b', Uint8Array.of(0x61, 0x3d, 0xff)]) {
      expect(await caught(() => parseForm(body))).toMatchObject({ code: 'encoding' })
    }
  })

  it('refuses more than 1000 parameters', async () => {
    expect(parseForm('a&'.repeat(999))).toHaveLength(999)
    expect(await caught(() => parseForm('a&'.repeat(1000)))).toMatchObject({ code: 'parameters' })
  })
})

describe('encodeForm', () => {
  it('is read back by parseForm', () => {
    const parameters = [
      ['a b', 'c&d=e+f%'],
      ['a b', ''],
      ['ю', '😀'],
    ] as const
    expect(encodeForm(parameters)).toBe('a%20b=c%26d%3De%2Bf%25&a%20b=&%D1%8E=%F0%9F%98%80')
    expect(parseForm(encodeForm(parameters))).toEqual(parameters)
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

  it('keeps duplicates', () => {
    const parameters = [
      ['a', '1'],
      ['a', '1'],
    ] as const
    expect(normalizeParameters(parameters)).toBe('a=1&a=1')
  })
})

describe('gatherParameters', () => {
  const header = [
    ['oauth_nonce', '12345678'],
    ['oauth_signature', 'c2ln'],
    ['x', '1'],
  ] as const

  it('takes header, query and form, without oauth_signature', () => {
    expect(gatherParameters(header, [['q', '2']], [['x', '1']])).toEqual([
      ['oauth_nonce', '12345678'],
      ['x', '1'],
      ['q', '2'],
      ['x', '1'],
    ])
  })

  it('counts an oauth_* parameter that query and form repeat once', () => {
    const repeated = [
      ['oauth_nonce', '12345678'],
      ['oauth_signature', 'c2ln'],
    ] as const
    expect(gatherParameters(header, repeated, repeated)).toEqual([
      ['oauth_nonce', '12345678'],
      ['x', '1'],
    ])
  })

  it('refuses an oauth_* parameter with another value, or that the header does not hold', async () => {
    for (const parameter of [
      ['oauth_nonce', '87654321'],
      ['oauth_signature', 'other'],
      ['oauth_token', ''],
    ] as const) {
      const expected = { code: 'parameters', message: expect.stringContaining(parameter[0]) }
      expect(await caught(() => gatherParameters(header, [], [parameter]))).toMatchObject(expected)
      expect(await caught(() => gatherParameters(header, [parameter], []))).toMatchObject(expected)
    }
  })
})
