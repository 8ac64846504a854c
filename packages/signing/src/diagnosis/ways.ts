import { decodeParameter, type Parameter, percentEncode } from '../parameters/encode.ts'
import { readForm } from '../parameters/form.ts'
import { type Encode, isOwn, type Pair, type Recipe, type Way } from './recipe.ts'

/** Changes the signed parameters. */
export function parameters(
  change: (own: readonly Parameter[], ...way: Parameters<Way>) => readonly Parameter[],
): Way {
  return (recipe, received) => ({ parameters: change(recipe.parameters, recipe, received) })
}

/** Leaves out the parameters of a name. */
export function without(left: string): Way {
  return parameters((own) => own.filter(([name]) => name !== left))
}

/** Signs a parameter that the header does not have. */
export function alsoSigned(name: string, value: string): Way {
  return ({ parameters: own }) => {
    return own.some((one) => one[0] === name) ? undefined : { parameters: [...own, [name, value]] }
  }
}

/** Adds parameters that are made from a body other than a form. */
export function addBody(make: (body: string) => readonly Parameter[]): Way {
  return ({ parameters: own }, { isForm, body }) => {
    return isForm ? undefined : { parameters: [...own, ...make(body)] }
  }
}

/** Changes the names and the values of query and form. */
export function changeSent(changeName: Encode, changeValue = changeName): Way {
  return parameters((_, __, { header, query, form }) => {
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
  return [
    () => ({ encodeName: encode, encodeValue: encode, encodePart: encode }),
    () => ({ encodeName: encode, encodeValue: encode }),
    () => ({ encodePart: encode }),
  ]
}

/** Leaves a text as it is. */
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

/** Encodes as Java's `URLEncoder` does. */
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

/** Sorts the parameters in another order. */
export function order(compare: (a: Pair, b: Pair) => number): Way {
  return () => ({ compare })
}

/** Does not sort: the parameters of these parts of the request, one after the other. */
export function unsorted(...parts: readonly ('header' | 'query' | 'form')[]): Way {
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

/** Signs another URL. */
export function address(edit: (address: Address) => Partial<Address> | undefined): Way {
  return ({ url }) => {
    const own = addressOf(url)
    const edited = edit(own)
    if (!edited) return undefined
    const { scheme, host, port, path } = { ...own, ...edited }
    return { url: `${scheme}://${host}${port === undefined ? '' : `:${port}`}${path}` }
  }
}

/** Splits a URL without a query. */
export function addressOf(url: string): Address {
  const [, scheme = '', host = '', port, path = '/'] = URL_PARTS.exec(url) ?? []
  return { scheme, host, port, path }
}

/** Signs the host to which the request was sent, if it differs in more than its port or, if `isOnlyPort`, in its port. */
export function sentHost(isOnlyPort: boolean, changeScheme = same): Way {
  return ({ url }, { host: sent }) => {
    const { scheme, host, path } = addressOf(url)
    const isHost = sent?.toLowerCase().replace(/:\d+$/, '') === host
    if (sent === undefined || isHost !== isOnlyPort) return undefined
    return { url: `${changeScheme(scheme)}://${sent.toLowerCase()}${path}` }
  }
}

/** Encodes the three parts of the base string in another way. */
export function encodeParts(encode: (text: string, right: Encode) => string): Way {
  return ({ encodePart }) => ({ encodePart: (text) => encode(text, encodePart) })
}

/** Joins the three parts of the base string in another way. */
export function joinParts(join: Recipe['join']): Way {
  return () => ({ join })
}

/** Signs with other HMAC keys than the right one. */
export function keys(keysOf: NonNullable<Recipe['keysOf']>): Way {
  return () => ({ keysOf })
}
