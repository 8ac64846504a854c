import { isUnreserved, percentDecode } from './encode.ts'
import { HEADER_PARAMETERS_MAX } from './limits.ts'
import { type EncodedParameter, encodeParameter, type Parameter } from './parameter.ts'
import { SigningError } from './signing-error.ts'

/**
 * What an Authorization header of the OAuth scheme holds; the realm is not a parameter and is not
 * signed.
 */
export interface Authorization {
  readonly parameters: readonly Parameter[]
  readonly realm?: string
}

const SCHEME = /^OAuth[ \t]+/i
const PAIR = /([^\s=",]+)="([^"\\]*)"[ \t]*(,[ \t]*|$)/y
const ENCODED = /^[A-Za-z0-9\-._~%]*$/
const REALM_NAME = /^realm$/i
const REALM = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/

/**
 * Writes the header's value: `OAuth name="value",...`, names and values percent-encoded (RFC 5849,
 * 3.5.1). The realm, where there is one, comes first and as it is: throws `header` if it is not
 * visible ASCII.
 */
export function formatAuthorization(parameters: readonly Parameter[], realm?: string): string {
  return writeAuthorization(parameters.map(encodeParameter), realm)
}

/** As `formatAuthorization`, of parameters that are encoded already. */
export function writeAuthorization(
  parameters: readonly EncodedParameter[],
  realm: string | undefined,
): string {
  if (realm !== undefined && !REALM.test(realm)) {
    throw malformed('a realm of visible ASCII, without quotes or backslashes')
  }
  let header = realm === undefined ? '' : `realm="${realm}"`
  for (const parameter of parameters) {
    if (header !== '') header += ','
    header += `${parameter[0]}="${parameter[1]}"`
  }
  return `OAuth ${header}`
}

/**
 * Reads an Authorization header of the OAuth scheme, strictly (RFC 5849, 3.5.1): pairs of
 * `name="value"`, separated by a comma and optional space, names and values percent-encoded UTF-8.
 * A name that comes again with the same value counts once. Throws `header`, with what was expected.
 */
export function parseAuthorization(header: string): Authorization {
  const scheme = SCHEME.exec(header)
  if (!scheme) throw malformed('a header that begins with the scheme OAuth and a space')
  const parameters: Parameter[] = []
  let realm: string | undefined
  let separator = ','
  for (let at = scheme[0].length; separator !== ''; at = PAIR.lastIndex) {
    PAIR.lastIndex = at
    const pair = PAIR.exec(header)
    if (!pair) throw malformed(`name="value" pairs separated by commas, from character ${at} on`)
    const [, name = '', value = '', end = ''] = pair
    if (REALM_NAME.test(name)) {
      if (realm !== undefined && realm !== value) throw malformed('realm to have one value only')
      realm = value
    } else {
      add(parameters, decode(name, 'every name'), value)
    }
    separator = end
  }
  return realm === undefined ? { parameters } : { parameters, realm }
}

function add(parameters: Parameter[], name: string, text: string): void {
  const value = decode(text, `the value of ${name}`)
  const before = parameters.find((parameter) => parameter[0] === name)
  if (before && before[1] !== value) throw malformed(`${name} to have one value only`)
  if (before) return
  parameters.push([name, value])
  if (parameters.length <= HEADER_PARAMETERS_MAX) return
  throw malformed(`at most ${HEADER_PARAMETERS_MAX} parameters in the header`)
}

function decode(text: string, what: string): string {
  if (isUnreserved(text)) return text
  if (!ENCODED.test(text)) {
    throw malformed(`${what} percent-encoded: letters, digits, "-", ".", "_", "~" and %XX only`)
  }
  try {
    return percentDecode(text)
  } catch (cause) {
    throw malformed(`${what} to be UTF-8 in valid %XX sequences`, cause)
  }
}

function malformed(expected: string, cause?: unknown): SigningError {
  return new SigningError('header', `expected ${expected}`, { cause })
}
