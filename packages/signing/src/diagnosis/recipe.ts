import { percentEncode } from '../parameters/encode.ts'
import type { Parameter } from '../parameters/parameter.ts'
import type { MistakeCode } from './mistakes.ts'
import type { Received } from './received.ts'

/** A parameter on its way into the parameter string. */
export interface Pair {
  readonly name: string
  readonly value: string
  readonly encodedName: string
  readonly encodedValue: string
}

/** How a caller builds the base string, step by step. A mistake is a recipe in which one step differs. */
export interface Recipe {
  readonly method: string
  /** Without the query. */
  readonly url: string
  readonly parameters: readonly Parameter[]
  readonly encodeName: (text: string) => string
  readonly encodeValue: (text: string) => string
  readonly compare: (a: Pair, b: Pair) => number
  /** Encodes the method, the URL and the parameter string. */
  readonly encodePart: (text: string) => string
  readonly join: (method: string, url: string, parameters: string) => string
}

/** One way to make a mistake: what it changes of the right recipe, or undefined if this request cannot have it. */
export type Way = (right: Recipe, received: Received) => Partial<Recipe> | undefined

/** Mistakes with one part of the base string, and the ways to make each, the usual one first. */
export type Axis = readonly (readonly [code: MistakeCode, ...ways: Way[]])[]

/** The recipe of the specification, "Signature generation". */
export function rightRecipe({ method, url, header, query, form }: Received): Recipe {
  return {
    method,
    url,
    parameters: [...header, ...query, ...form],
    encodeName: percentEncode,
    encodeValue: percentEncode,
    compare: (a, b) => byName(a, b) || compareTexts(a.encodedValue, b.encodedValue),
    encodePart: percentEncode,
    join: (...parts) => parts.join('&'),
  }
}

/** Builds the base string of a recipe. Throws for text that the recipe cannot encode. */
export function buildBaseString(recipe: Recipe): string {
  const { parameters, encodeName, encodeValue, encodePart } = recipe
  const pairs = parameters.map(([name, value]): Pair => {
    return { name, value, encodedName: encodeName(name), encodedValue: encodeValue(value) }
  })
  const joined = pairs.toSorted(recipe.compare).map(joinPair).join('&')
  return recipe.join(encodePart(recipe.method), encodePart(recipe.url), encodePart(joined))
}

/** Writes a parameter as it stands in the parameter string. */
export function joinPair({ encodedName, encodedValue }: Pair): string {
  return `${encodedName}=${encodedValue}`
}

/** Compares two texts by code unit. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Compares two parameters by their encoded names. */
export function byName(a: Pair, b: Pair): number {
  return compareTexts(a.encodedName, b.encodedName)
}
