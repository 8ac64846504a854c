import { HEADER_CHARACTERS_MAX, HEADER_PARAMETERS_MAX } from '../refusals/limits.ts'
import { showName, showValue } from '../refusals/refusals.ts'
import { malformed, SigningError } from '../refusals/signing-error.ts'
import { type EncodedParameter, isUnreserved, type Parameter, percentDecode } from './parameters.ts'

/** The content of an OAuth Authorization header. The realm is not a parameter, and is not signed. */
export interface Authorization {
  readonly parameters: readonly Parameter[]
  readonly realm?: string
}

// A list may have empty elements (RFC 9110, 5.6.1). Adjacent repetitions never match the same character, so a hostile
// header takes linear time.
const SCHEME = /^OAuth[ \t][ \t,]*/i
const PAIR = /([^\s=",]+)="([^"\\]*)"[ \t]*(?:,[ \t,]*|$)/y
const NAME = /[^\s=",]*/y
const VALUE = /[^"\\]*/y
const SPACE = /[ \t]*/y
const OTHER_SCHEME = /^([A-Za-z][A-Za-z0-9-]{0,19})[ \t]/
const NOT_ENCODED = /[^A-Za-z0-9\-._~%]/
const REALM_NAME = /^realm$/i
const REALM = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/

/** Writes the value of the header (RFC 5849, 3.5.1). The realm comes first and as it is. */
export function writeAuthorization(
  parameters: readonly EncodedParameter[],
  realm: string | undefined,
): string {
  if (realm !== undefined && !REALM.test(realm)) {
    const message = 'expected a realm of visible ASCII, without quotes or backslashes'
    throw new SigningError('options', message)
  }
  const first = realm === undefined ? [] : [`realm="${realm}"`]
  return `OAuth ${[...first, ...parameters.map(([name, value]) => `${name}="${value}"`)].join(',')}`
}

/**
 * Parses an OAuth Authorization header strictly: `name="value"` pairs, separated by commas and optional spaces, with
 * percent-encoded names and values (RFC 5849, 3.5.1). A name that is repeated with the same value counts once.
 *
 * @throws {SigningError} A code such as `header-malformed`; the message names the expected syntax and the character,
 * counted from 1.
 * @example
 * parseAuthorization('OAuth oauth_nonce="a%2Bb", oauth_version="1.0"').parameters
 * // [['oauth_nonce', 'a+b'], ['oauth_version', '1.0']]
 */
export function parseAuthorization(header: string): Authorization {
  if (header.length > HEADER_CHARACTERS_MAX) {
    const expected = `an Authorization header of at most ${HEADER_CHARACTERS_MAX} characters`
    throw malformed('header-too-long', expected, String(header.length))
  }
  const scheme = SCHEME.exec(header)
  if (!scheme) throw otherScheme(header)
  const parameters: Parameter[] = []
  let realm: string | undefined
  for (let at = scheme[0].length; at < header.length; at = PAIR.lastIndex) {
    PAIR.lastIndex = at
    const pair = PAIR.exec(header)
    if (!pair) throw malformedAt(header, at)
    const [, name = '', value = ''] = pair
    if (REALM_NAME.test(name)) {
      if (realm !== undefined && realm !== value) throw repeated('realm')
      realm = value
    } else {
      add(parameters, name, value, at)
    }
  }
  if (parameters.length === 0 && realm === undefined) throw malformedAt(header, header.length)
  return realm === undefined ? { parameters } : { parameters, realm }
}

function add(parameters: Parameter[], encodedName: string, text: string, at: number): void {
  const place = parameters.length + 1
  const name = isUnreserved(encodedName) ? encodedName : decode(encodedName, 'every name', at)
  const value = isUnreserved(text)
    ? text
    : decode(text, `the value of ${showName(name, place)}`, at + encodedName.length + 2)
  const before = parameters.find((parameter) => parameter[0] === name)
  if (before && before[1] !== value) throw repeated(showName(name, place))
  if (before) return
  parameters.push([name, value])
  if (parameters.length <= HEADER_PARAMETERS_MAX) return
  const expected = `at most ${HEADER_PARAMETERS_MAX} parameters in the header`
  throw malformed('header-parameters', expected)
}

function decode(text: string, what: string, at: number): string {
  const wrong = text.search(NOT_ENCODED)
  if (wrong !== -1) {
    const expected = `${what} percent-encoded: letters, digits, "-", ".", "_", "~" and %XX only`
    const got = `${showCharacter(text, wrong)} at character ${at + wrong + 1}`
    throw malformed('header-encoding', expected, got)
  }
  try {
    return percentDecode(text)
  } catch (cause) {
    const expected = `${what} to be UTF-8 in valid %XX sequences, at character ${at + 1}`
    throw malformed('header-encoding', expected, undefined, { cause })
  }
}

/** Shows only a scheme. A header without one, and what follows a scheme, may be a secret. */
function otherScheme(header: string): SigningError {
  const [, scheme] = OTHER_SCHEME.exec(header) ?? []
  const expected = 'a header that begins with the scheme OAuth and a space'
  return malformed('header-scheme', expected, scheme && showValue(scheme))
}

/** Walks through the pair that begins at `start` to the character where it is malformed. */
function malformedAt(header: string, start: number): SigningError {
  const skip = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at
    return at + (pattern.exec(header)?.[0].length ?? 0)
  }
  const afterName = skip(NAME, start)
  const afterValue = skip(VALUE, afterName + 2)
  const atComma = skip(SPACE, afterValue + 1)
  const mistake = (
    [
      [afterName > start, 'a name', start],
      [header[afterName] === '=', '"=" after the name', afterName],
      [header[afterName + 1] === '"', 'a double quote before the value', afterName + 1],
      [header[afterValue] !== '\\', 'no backslash in the value', afterValue],
      [header[afterValue] === '"', 'a double quote after the value', afterValue],
    ] as const
  ).find(([isRight]) => !isRight)
  const [, what, at] = mistake ?? [false, 'a comma after the pair', atComma]
  const expected = `name="value" pairs separated by commas: ${what} at character ${at + 1}`
  return malformed('header-malformed', expected, showCharacter(header, at))
}

function showCharacter(text: string, at: number): string {
  const code = text.codePointAt(at)
  return code === undefined ? 'the end of the header' : JSON.stringify(String.fromCodePoint(code))
}

function repeated(name: string): SigningError {
  return malformed('header-repeated', `${name} to have one value only`, 'two values')
}
