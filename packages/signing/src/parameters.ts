import { percentDecode, percentEncode } from './encode.ts'
import { FORM_PARAMETERS_MAX } from './limits.ts'
import { SigningError } from './signing-error.ts'

/** One decoded name and value; a name may come more than once. */
export type Parameter = readonly [name: string, value: string]

const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whether a Content-Type names a form, in any case and with or without parameters such as a charset. */
export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && FORM.test(contentType)
}

/**
 * Parses a form body or a query into its parameters, duplicates kept, in their order (RFC 5849, 3.4.1.3.1).
 * `+` is a space. Throws `encoding` for an invalid percent sequence or invalid UTF-8, `parameters` for too many.
 */
export function parseForm(body: Uint8Array | string): Parameter[] {
  const pairs = textOf(body).split('&')
  if (pairs.length > FORM_PARAMETERS_MAX) {
    throw new SigningError('parameters', `expected at most ${FORM_PARAMETERS_MAX} parameters`)
  }
  const parameters: Parameter[] = []
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    parameters.push([decodeFormText(name), decodeFormText(value)])
  }
  return parameters
}

/** Writes parameters as a form body, in their order; a space becomes `%20`. The reverse of `parseForm`. */
export function encodeForm(parameters: readonly Parameter[]): string {
  return joinPairs(parameters.map(encodePair))
}

/**
 * Encodes names and values, sorts by encoded name and then value, by code unit, and joins them
 * (RFC 5849, 3.4.1.3.2): the parameter string.
 */
export function normalizeParameters(parameters: readonly Parameter[]): string {
  return joinPairs(parameters.map(encodePair).toSorted(byNameThenValue))
}

/**
 * Gathers what is signed: the protocol's parameters (in the header, or about to be put there), the query's and
 * the form's (RFC 5849, 3.4.1.3.1); `oauth_signature` never is. Query and form may repeat an `oauth_*` of the
 * header, which counts once; one with another value, or that the header does not hold, throws `parameters`.
 */
export function gatherParameters(
  header: readonly Parameter[],
  query: readonly Parameter[],
  form: readonly Parameter[],
): Parameter[] {
  const gathered = header.filter((parameter) => parameter[0] !== 'oauth_signature')
  for (const source of [query, form]) {
    for (const parameter of source) {
      if (!parameter[0].startsWith('oauth_')) gathered.push(parameter)
      else requireEqual(header, parameter)
    }
  }
  return gathered
}

function requireEqual(header: readonly Parameter[], [name, value]: Parameter): void {
  if (header.some((parameter) => parameter[0] === name && parameter[1] === value)) return
  const shown = JSON.stringify(name)
  throw new SigningError('parameters', `expected ${shown} in query and form to be as in the header`)
}

function textOf(body: Uint8Array | string): string {
  if (typeof body === 'string') return body
  try {
    return UTF8.decode(body)
  } catch (cause) {
    throw new SigningError('encoding', 'expected a form body that is valid UTF-8', { cause })
  }
}

function decodeFormText(text: string): string {
  return percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

function encodePair(parameter: Parameter): Parameter {
  return [percentEncode(parameter[0]), percentEncode(parameter[1])]
}

function byNameThenValue(a: Parameter, b: Parameter): number {
  if (a[0] < b[0]) return -1
  if (a[0] > b[0]) return 1
  if (a[1] === b[1]) return 0
  return a[1] < b[1] ? -1 : 1
}

function joinPairs(encoded: readonly Parameter[]): string {
  return encoded.map((pair) => `${pair[0]}=${pair[1]}`).join('&')
}
