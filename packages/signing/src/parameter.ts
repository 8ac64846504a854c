import { percentDecode, percentEncode } from './encode.ts'

/** One decoded name and value; a name may come more than once. */
export type Parameter = readonly [name: string, value: string]

/** A name and a value as `percentEncode` writes them: what is sorted, joined and signed. */
export type EncodedParameter = readonly [encodedName: string, encodedValue: string]

export function encodeParameter(parameter: Parameter): EncodedParameter {
  return [percentEncode(parameter[0]), percentEncode(parameter[1])]
}

export function decodeParameter(parameter: EncodedParameter): Parameter {
  return [percentDecode(parameter[0]), percentDecode(parameter[1])]
}
