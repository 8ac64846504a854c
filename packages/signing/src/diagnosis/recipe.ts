import { baseStringUrl, readQuery, splitUrl } from '../parameters/base-string.ts'
import {
  compareCodeUnits,
  decodeParameter,
  type Parameter,
  percentEncode,
} from '../parameters/parameters.ts'
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
export type Way = Partial<Recipe> | Change

type Change = (recipe: Recipe, received: Received) => Partial<Recipe> | undefined

/** The recipe of the specification, "Signature generation". */
export function rightRecipe({ method, url, header, query, form }: Received): Recipe {
  return {
    method,
    url,
    parameters: [...header, ...query, ...form],
    encodeName: percentEncode,
    encodeValue: percentEncode,
    compare: (a, b) => byName(a, b) || compareCodeUnits(a.encodedValue, b.encodedValue),
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

export function joinPair({ encodedName, encodedValue }: Pair): string {
  return `${encodedName}=${encodedValue}`
}

export function byName(a: Pair, b: Pair): number {
  return compareCodeUnits(a.encodedName, b.encodedName)
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
  const url = String(request.url)
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

export function isOwn([name]: Parameter): boolean {
  return !name.startsWith('oauth_')
}

function isSigned([name]: Parameter): boolean {
  return name !== 'oauth_signature'
}

// The changes that more than one mistake makes.

export function changeParameters(
  change: (own: readonly Parameter[], received: Received) => readonly Parameter[],
): Change {
  return (recipe, received) => ({ parameters: change(recipe.parameters, received) })
}

export function without(left: string): Change {
  return changeParameters((own) => own.filter(([name]) => name !== left))
}

/** Signs a parameter that the header does not have. */
export function alsoSigned(name: string, value: string): Change {
  return ({ parameters: own }) => {
    return own.some((one) => one[0] === name) ? undefined : { parameters: [...own, [name, value]] }
  }
}

/** Adds parameters that are made from a body other than a form. */
export function addBody(make: (body: string) => readonly Parameter[]): Change {
  return ({ parameters: own }, received) => {
    return received.isForm ? undefined : { parameters: [...own, ...make(received.body)] }
  }
}

/** Changes the names and the values of query and form. */
export function changeSent(changeName: Encode, changeValue = changeName): Change {
  return changeParameters((_, { header, query, form }) => {
    const changed = [...query, ...form].map(([name, value]): Parameter => {
      return [changeName(name), changeValue(value)]
    })
    return [...header, ...changed]
  })
}

/** Writes the members of a JSON object as parameters. Returns none for any other text. */
export function jsonMembers(body: string, isNestedKept: boolean): readonly Parameter[] {
  let content: unknown
  try {
    content = JSON.parse(body)
  } catch {
    return []
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return []
  return Object.entries(content).flatMap(([name, value]: [string, unknown]): Parameter[] => {
    if (typeof value !== 'object' || value === null) return [[name, String(value)]]
    return isNestedKept ? [[name, JSON.stringify(value)]] : []
  })
}

/** Parses a form, with `+` as a plus if it is kept. */
export function parseForm(text: string, isPlusKept = false): readonly Parameter[] {
  const form = isPlusKept ? text.replaceAll('+', '%2B') : text
  return readForm(form).map(decodeParameter).filter(isOwn)
}

/** An encoding in place of the right one: everywhere, in the parameters only, and in the three parts only. */
export function instead(encode: Encode): readonly Way[] {
  const inParameters = { encodeName: encode, encodeValue: encode }
  return [{ ...inParameters, encodePart: encode }, inParameters, { encodePart: encode }]
}

export function same(text: string): string {
  return text
}

/** Encodes everything but some more characters. */
export function leave(characters: string): Encode {
  return (text) => {
    return percentEncode(text).replaceAll(/%../g, (byte) => {
      const character = String.fromCharCode(Number.parseInt(byte.slice(1), 16))
      return characters.includes(character) ? character : byte
    })
  }
}

export function encodeAsJava(text: string): string {
  return percentEncode(text).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E')
}

/** Encodes in a character set of one byte. A character that it lacks becomes `?`. */
export function encodeIn(charset: string): Encode {
  let known: ReadonlyMap<string, number> | undefined
  return (text) => {
    const bytes = (known ??= bytesOf(charset))
    return text.replaceAll(/[^]/gu, (character) => {
      if (character < '\x80') return percentEncode(character)
      return `%${(bytes.get(character) ?? 0x3f).toString(16).toUpperCase()}`
    })
  }
}

function bytesOf(charset: string): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(charset)
  const bytes = Array.from({ length: 128 }, (_, index) => index + 128)
  return new Map(bytes.map((byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
}

/** Does not sort: the parameters of these parts of the request, one after the other. */
export function unsorted(...parts: readonly ('header' | 'query' | 'form')[]): Change {
  return ({ parameters: own }, received) => {
    const sent = parts.flatMap((part) => received[part])
    return { parameters: parts.length === 0 ? own : sent, compare: () => 0 }
  }
}

const URL_PARTS = /^(https?):\/\/([^/]+?)(?::(\d+))?(\/.*)$/

interface Address {
  readonly scheme: string
  readonly host: string
  readonly port: string | undefined
  readonly path: string
}

export function address(edit: (address: Address) => Partial<Address> | undefined): Change {
  return ({ url }) => {
    const own = addressOf(url)
    const edited = edit(own)
    if (!edited) return undefined
    const { scheme, host, port, path } = { ...own, ...edited }
    return { url: `${scheme}://${host}${port === undefined ? '' : `:${port}`}${path}` }
  }
}

export function addressOf(url: string): Address {
  const [, scheme = '', host = '', port, path = '/'] = URL_PARTS.exec(url) ?? []
  return { scheme, host, port, path }
}

/** Signs the host to which the request was sent, if it differs in more than its port or, if `isOnlyPort`, in its port. */
export function sentHost(isOnlyPort: boolean, changeScheme = same): Change {
  return ({ url }, { host: sent }) => {
    const { scheme, host, path } = addressOf(url)
    const isHost = sent?.toLowerCase().replace(/:\d+$/, '') === host
    if (sent === undefined || isHost !== isOnlyPort) return undefined
    return { url: `${changeScheme(scheme)}://${sent.toLowerCase()}${path}` }
  }
}
