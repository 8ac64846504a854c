import { describe, expect, it } from 'vitest'
import { caught } from '../../test/caught.ts'
import { encodeForm, isForm, parseForm, readForm } from './form.ts'

describe('isForm', () => {
  it('recognises a form with a charset, in any case', () => {
    expect(isForm('application/x-www-form-urlencoded')).toBe(true)
    expect(isForm('application/x-www-form-urlencoded; charset=utf-8')).toBe(true)
    expect(isForm('Application/X-WWW-Form-URLEncoded;charset=UTF-8')).toBe(true)
  })

  it('rejects other media types', () => {
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

  it('returns no parameters for an empty body', () => {
    expect(parseForm('')).toEqual([])
    expect(parseForm(new Uint8Array())).toEqual([])
  })

  it('refuses an invalid percent sequence, and bytes that are not UTF-8, encoded or raw', async () => {
    for (const body of ['a=%f', 'a=%ff', '%c3=b', Uint8Array.of(0x61, 0x3d, 0xff)]) {
      expect(await caught(() => parseForm(body))).toMatchObject({ code: 'form-encoding' })
    }
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

describe('readForm', () => {
  it('normalises every encoding: lower-case hex, plus, needless encoding', () => {
    expect(readForm("%61%2fb=a+b&%7e=%21!'")).toEqual([
      ['a%2Fb', 'a%20b'],
      ['~', '%21%21%27'],
    ])
  })
})
