import { percentRecode } from './encode.ts'
import { FORM_PARAMETERS_MAX } from './limits.ts'
import {
  decodeParameter,
  type EncodedParameter,
  encodeParameter,
  type Parameter,
} from './parameter.ts'
import { SigningError } from './signing-error.ts'

const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Whether a Content-Type names a form, in any case and with or without parameters such as a
 * charset.
 */
export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && FORM.test(contentType)
}

/**
 * Parses a form body or a query into its parameters, duplicates kept, in their order (RFC 5849,
 * 3.4.1.3.1). `+` is a space. Throws `encoding` for an invalid percent sequence or invalid UTF-8,
 * `parameters` for too many.
 */
export function parseForm(body: Uint8Array | string): Parameter[] {
  return readForm(body).map(decodeParameter)
}

/**
 * Writes parameters as a form body, in their order; a space becomes `%20`. The reverse of
 * `parseForm`.
 */
export function encodeForm(parameters: readonly Parameter[]): string {
  return joinParameters(parameters.map(encodeParameter))
}

/** As `parseForm`, but leaves the parameters in the encoding that is signed. */
export function readForm(body: Uint8Array | string): EncodedParameter[] {
  const pairs = textOf(body).replaceAll('+', '%20').split('&')
  if (pairs.length > FORM_PARAMETERS_MAX) {
    throw new SigningError('parameters', `expected at most ${FORM_PARAMETERS_MAX} parameters`)
  }
  const parameters: EncodedParameter[] = []
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    parameters.push([percentRecode(name), percentRecode(value)])
  }
  return parameters
}

/** Joins encoded parameters as they come: `name=value&name=value`. */
export function joinParameters(parameters: readonly EncodedParameter[]): string {
  let joined = ''
  for (const parameter of parameters) {
    if (joined !== '') joined += '&'
    joined += parameter[0] + '=' + parameter[1]
  }
  return joined
}

function textOf(body: Uint8Array | string): string {
  if (typeof body === 'string') return body
  try {
    return UTF8.decode(body)
  } catch (cause) {
    throw new SigningError('encoding', 'expected a form body that is valid UTF-8', { cause })
  }
}
