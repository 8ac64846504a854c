import {
  type EncodedParameter,
  encodeParameters,
  type ParameterList,
  percentDecode,
} from './encode.ts'
import { joinParameters } from './form.ts'
import { showName } from '../refusals/show-value.ts'
import { SigningError } from '../refusals/signing-error.ts'

/**
 * Builds the parameter string: encodes names and values, sorts by encoded name and then value, by code unit, and joins
 * them (RFC 5849, 3.4.1.3.2).
 *
 * @throws {SigningError} `options` unless each parameter is a pair of strings; `encoding` for text that is not
 * well-formed Unicode.
 * @example
 * normalizeParameters([['b', 'x y'], ['a', '2'], ['a', '1']]) // 'a=1&a=2&b=x%20y'
 */
export function normalizeParameters(parameters: ParameterList): string {
  return sortAndJoin(encodeParameters(parameters))
}

/** Builds the parameter string from parameters that are already encoded. */
export function sortAndJoin(parameters: readonly EncodedParameter[]): string {
  return joinParameters(parameters.toSorted(byNameThenValue))
}

/**
 * Gathers the parameters to sign, encoded: those of the header, the query and the form, without `oauth_signature` (RFC
 * 5849, 3.4.1.3.1). Query and form may repeat an `oauth_*` parameter of the header, which counts once. Throws
 * `parameters` if its value differs, or if the header does not have it.
 */
export function gatherParameters(
  header: readonly EncodedParameter[],
  query: readonly EncodedParameter[],
  form: readonly EncodedParameter[],
): EncodedParameter[] {
  const gathered = header.filter((parameter) => parameter[0] !== 'oauth_signature')
  for (const source of [query, form]) {
    for (const parameter of source) {
      if (parameter[0].startsWith('oauth_')) requireEqual(header, parameter)
      else gathered.push(parameter)
    }
  }
  return gathered
}

function requireEqual(header: readonly EncodedParameter[], [name, value]: EncodedParameter): void {
  if (header.some((parameter) => parameter[0] === name && parameter[1] === value)) return
  const shown = showName(percentDecode(name), 0)
  const isThere = header.some((parameter) => parameter[0] === name)
  throw new SigningError('parameters', {
    code: 'oauth-parameter',
    expected: `${shown} in query and form to be as in the header`,
    got: isThere ? 'another value' : 'one that the header does not have',
  })
}

function byNameThenValue(a: EncodedParameter, b: EncodedParameter): number {
  return compareCodeUnits(a[0], b[0]) || compareCodeUnits(a[1], b[1])
}

/** Compares as `<` does. `<` is slow here, because both strings are slices of a longer one. */
function compareCodeUnits(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const difference = a.charCodeAt(index) - b.charCodeAt(index)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
