import { describe, expect, it } from 'vitest'
import { caught } from '../../test/caught.ts'
import { parseAuthorization, writeAuthorization } from './header.ts'
import { SigningError } from '../refusals/signing-error.ts'

it('refuses to write a realm that could end its quotes', async () => {
  expect(writeAuthorization([['a', 'b']], 'https://shop/ a')).toBe(
    'OAuth realm="https://shop/ a",a="b"',
  )
  for (const realm of ['a"b', 'a\\', 'a\r\nb', 'é']) {
    expect(await caught(() => writeAuthorization([], realm))).toMatchObject({ code: 'options' })
  }
})

describe('parseAuthorization', () => {
  it('accepts spaces around commas, and the scheme in any case', () => {
    const parameters = [
      ['a', '1'],
      ['b', '+2'],
    ]
    expect(parseAuthorization('OAuth a="1",b="%2B2"')).toEqual({ parameters })
    expect(parseAuthorization('oauth  a="1" ,\t b="%2b2" ')).toEqual({ parameters })
  })

  it('returns the realm apart from the parameters, also empty or with commas', () => {
    expect(parseAuthorization('OAuth realm="",a="1"')).toEqual({
      parameters: [['a', '1']],
      realm: '',
    })
    expect(parseAuthorization('OAuth a="1",Realm="x, y"')).toMatchObject({ realm: 'x, y' })
  })

  it('counts a name repeated with the same value once', () => {
    expect(parseAuthorization('OAuth a="1",a="1"')).toEqual({ parameters: [['a', '1']] })
  })

  it('accepts empty list elements, also at the end (RFC 9110, 5.6.1)', () => {
    for (const header of ['OAuth a="1", ', 'OAuth , ,a="1" , ,\t,']) {
      expect(parseAuthorization(header)).toEqual({ parameters: [['a', '1']] })
    }
    expect(parseAuthorization('OAuth a="1",,b="2",')).toEqual({
      parameters: [
        ['a', '1'],
        ['b', '2'],
      ],
    })
  })

  it('names the position of a fault, and the character there', async () => {
    const faults: Record<string, string> = {
      OAuth: 'scheme OAuth',
      'OAuth a="1",a="2"': 'a to have one value only',
      'OAuth realm="1",realm="2"': 'realm to have one value only',
      'OAuth a="%zz"': 'the value of a to be UTF-8 in valid %XX',
      'OAuth a="%ff"': 'valid %XX',
      'OAuth a=1': 'a double quote before the value at character 9, got "1"',
      'OAuth a="1",b="2" c="3"': 'a comma after the pair at character 19, got "c"',
      'OAuth a="1",="2"': 'a name at character 13, got "="',
      'OAuth a="1",b = "2"': '"=" after the name at character 14, got " "',
      "OAuth a='1'": 'a double quote before the value at character 9, got "\'"',
      'OAuth a="1",b="2':
        'a double quote after the value at character 17, got the end of the header',
      'OAuth a="\\"': 'no backslash in the value at character 10, got "\\\\"',
      'OAuth ': 'a name at character 7, got the end of the header',
      'OAuth a="1",b="x+y"': 'got "+" at character 17',
      'OAuth a="1",b:="x"': 'got ":" at character 14',
    }
    for (const [header, expected] of Object.entries(faults)) {
      const error = await caught(() => parseAuthorization(header))
      expect(error).toMatchObject({ message: expect.stringContaining(expected) })
    }
  })

  it('shows the scheme of a header, and nothing that may be a secret', async () => {
    const got: Record<string, string | undefined> = {
      'Bearer eyJhbGciOi': 'Bearer',
      'Basic dXNlcg==': 'Basic',
      eyJhbGciOi: undefined,
      'eyJhbGciOiJIUzI1NiJ9longer x': undefined,
    }
    for (const [header, scheme] of Object.entries(got)) {
      const error = await caught(() => parseAuthorization(header))
      expect(error).toMatchObject({ code: 'header-scheme' })
      expect(error instanceof SigningError && error.fault?.got).toBe(scheme)
      expect(JSON.stringify(error).includes('eyJ')).toBe(false)
    }
  })

  it('shows no values, and no name that may be JSON or a card number', async () => {
    const pan = '4111111111111111'
    for (const header of [`OAuth ${pan}="x y"`, `OAuth a="${pan} "`, `OAuth {cvv2:739}="a b"`]) {
      const error = await caught(() => parseAuthorization(header))
      expect(/4111|739/.test(String(error))).toBe(false)
    }
  })
})
