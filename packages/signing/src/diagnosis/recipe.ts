import { decodeParameter, type Parameter, percentEncode } from '../parameters/encode.ts'
import { baseStringUrl, readQuery, splitUrl, urlText } from '../parameters/base-string.ts'
import { isForm, readForm } from '../parameters/form.ts'
import { parseAuthorization } from '../parameters/header.ts'
import { type ProtocolParameters, readProtocolParameters } from '../verify/request-faults.ts'
import type { RequestToVerify } from '../verify/verifier.ts'

/** A parameter on its way into the parameter string. */
export interface Pair {
  readonly name: string
  readonly value: string
  readonly encodedName: string
  readonly encodedValue: string
}

/** Encodes a text. */
export type Encode = (text: string) => string

/** How a caller signs, step by step. A mistake is a recipe in which one step differs. */
export interface Recipe {
  readonly method: string
  /** Without the query. */
  readonly url: string
  readonly parameters: readonly Parameter[]
  readonly encodeName: Encode
  readonly encodeValue: Encode
  readonly compare: (a: Pair, b: Pair) => number
  /** Encodes the method, the URL and the parameter string. */
  readonly encodePart: Encode
  readonly join: (method: string, url: string, parameters: string) => string
  /** Returns the HMAC keys that the caller makes of the control key. Undefined for the right key. */
  readonly keysOf?: (controlKey: string) => readonly (string | Uint8Array)[]
}

/** One way to make a mistake: what it changes of a recipe, or undefined if this request cannot have it. */
export type Way = (recipe: Recipe, received: Received) => Partial<Recipe> | undefined

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

/** A request, split into everything that a caller could have signed. */
export interface Received {
  readonly method: string
  /** The URL as the base string holds it. */
  readonly url: string
  /** The query as it was sent. */
  readonly queryText: string
  readonly protocol: ProtocolParameters
  /** The parameters of the header without `oauth_signature`. */
  readonly header: readonly Parameter[]
  readonly realm?: string
  readonly query: readonly Parameter[]
  /** The parameters of the form; none if the body is not a form. */
  readonly form: readonly Parameter[]
  /** The `oauth_*` parameters that query and form repeat. */
  readonly repeated: readonly Parameter[]
  readonly isForm: boolean
  readonly body: string
  /** The host to which the caller sent the request, if it is known. */
  readonly host: string | undefined
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Splits a request whose parameters `verify` could gather. Throws a `SigningError` for any other. */
export function splitReceived(request: RequestToVerify, host: string | undefined): Received {
  const { parameters, ...rest } = parseAuthorization([request.authorization ?? ''].flat()[0] ?? '')
  const url = urlText(request.url)
  const query = readQuery(url).map(decodeParameter)
  const form = isForm(request.contentType) ? readForm(request.body).map(decodeParameter) : []
  return {
    ...rest,
    method: request.method.toUpperCase(),
    url: baseStringUrl(url),
    queryText: splitUrl(url).query ?? '',
    protocol: readProtocolParameters(parameters),
    header: parameters.filter(isSigned),
    query: query.filter(isOwn),
    form: form.filter(isOwn),
    repeated: [...query, ...form].filter((parameter) => !isOwn(parameter) && isSigned(parameter)),
    isForm: isForm(request.contentType),
    body: UTF8.decode(request.body),
    host,
  }
}

/** Whether a parameter is one of the query or the form, and not of the protocol. */
export function isOwn([name]: Parameter): boolean {
  return !name.startsWith('oauth_')
}

function isSigned([name]: Parameter): boolean {
  return name !== 'oauth_signature'
}
