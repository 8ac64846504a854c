import { percentDecode, percentEncode } from './encode.ts'
import { showName } from '../refusals/show-value.ts'
import { wrongArgument } from '../refusals/wrong-argument.ts'

/** A decoded name and value. A name may occur more than once. */
export type Parameter = readonly [name: string, value: string]

/** The parameters that a caller passes. */
export type ParameterList = readonly Parameter[] | URLSearchParams

/** A name and a value as `percentEncode` writes them. They are sorted, joined and signed in this form. */
export type EncodedParameter = readonly [encodedName: string, encodedValue: string]

const LIST =
  'parameters as an array of [name, value] pairs (Object.entries(...), [...map]) or URLSearchParams'

/** Encodes parameters in their order. Throws `options` unless each is a pair of strings. */
export function encodeParameters(parameters: ParameterList): EncodedParameter[] {
  if (Array.isArray(parameters))
    return parameters.map((parameter, index) => encodeParameter(parameter, index))
  if (parameters instanceof URLSearchParams)
    return [...parameters].map((parameter) => encodeParameter(parameter))
  throw wrongArgument(LIST, parameters)
}

export function encodeParameter(parameter: Parameter, index = 0): EncodedParameter {
  // Without this check, a missing value would be signed as "undefined".
  if (!Array.isArray(parameter) || parameter.length !== 2) throw wrongArgument(LIST, parameter)
  const [name, value] = parameter
  if (typeof name !== 'string') throw wrongArgument('the name of a parameter as a string', name)
  if (typeof value !== 'string') {
    throw wrongArgument(`the value of ${showName(name, index + 1)} as a string`, value)
  }
  return [percentEncode(name), percentEncode(value)]
}

export function decodeParameter(parameter: EncodedParameter): Parameter {
  return [percentDecode(parameter[0]), percentDecode(parameter[1])]
}
