import { describe, expect, it } from 'vitest'
import { caught } from '../../test/caught.ts'
import { formatAuthorization, parseAuthorization } from './header.ts'
import { SigningError } from '../refusals/signing-error.ts'

describe('formatAuthorization', () => {
  it('encodes each value separately, including base64', () => {
    expect(formatAuthorization([['oauth_signature', 'a+/b=']])).toBe(
      'OAuth oauth_signature="a%2B%2Fb%3D"',
    )
  })

  it('writes the realm first, unencoded', () => {
    const header = formatAuthorization([['a', 'b']], 'https://example.com/ a')
    expect(header).toBe('OAuth realm="https://example.com/ a",a="b"')
    expect(formatAuthorization([['a', 'b']], '')).toBe('OAuth realm="",a="b"')
  })

  it('refuses a realm that could end its quotes', async () => {
    for (const realm of ['a"b', 'a\\', 'a\r\nb', 'é']) {
      const error = await caught(() => formatAuthorization([], realm))
      expect(error).toMatchObject({ code: 'options' })
    }
  })
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

  it('refuses any other syntax, and names the expected one', async () => {
    const refused: Record<string, string> = {
      '': 'scheme OAuth',
      OAuth: 'scheme OAuth',
      'Basic dXNlcg==': 'scheme OAuth',
      'OAuth ': 'name="value" pairs',
      'OAuth a=1': 'name="value" pairs',
      'OAuth a="1" b="2"': 'name="value" pairs',
      'OAuth a = "1"': 'name="value" pairs',
      'OAuth a="1"x': 'name="value" pairs',
      'OAuth a="1': 'name="value" pairs',
      'OAuth a="1",a="2"': 'a to have one value only',
      'OAuth realm="1",realm="2"': 'realm to have one value only',
      'OAuth a="x+y=="': 'the value of a percent-encoded',
      'OAuth a="x y"': 'the value of a percent-encoded',
      'OAuth a:="x"': 'every name percent-encoded',
      'OAuth a="%zz"': 'valid %XX',
      'OAuth a="%ff"': 'valid %XX',
    }
    for (const [header, expected] of Object.entries(refused)) {
      const error = await caught(() => parseAuthorization(header))
      expect(error).toMatchObject({ message: expect.stringContaining(expected) })
    }
  })

  it('accepts empty list elements, also at the end (RFC 9110, 5.6.1)', () => {
    for (const header of [
      'OAuth a="1",',
      'OAuth ,a="1"',
      'OAuth , ,a="1" , ,\t,',
      'OAuth a="1", ',
    ]) {
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

  it('refuses more than 32 parameters', async () => {
    const header = (count: number) =>
      formatAuthorization(Array.from({ length: count }, (_, index) => [`p${index}`, ''] as const))
    expect(parseAuthorization(header(32)).parameters).toHaveLength(32)
    expect(await caught(() => parseAuthorization(header(33)))).toMatchObject({
      code: 'header-parameters',
    })
  })
})
