import { decodeParameter, type Parameter, percentDecode } from '../parameters/encode.ts'
import { readForm } from '../parameters/form.ts'
import type { Axis, Received, Recipe, Way } from './recipe.ts'
import { DIAGNOSED_LEVELS_MAX, DIAGNOSED_PARAMETERS_MAX } from '../refusals/limits.ts'

/** A value of JSON. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** How a program turns a member of a JSON object into parameters. */
export type JsonWriter = (name: string, value: Json) => readonly Parameter[]

/** How programs of several languages write the members of a JSON object as parameters. */
export const JSON_WRITERS: readonly JsonWriter[] = [
  // Nested values as JSON, as JavaScript prints them, as PHP does, and left out.
  (name, value) => [[name, textOf(value, (nested) => JSON.stringify(nested))]],
  (name, value) => [[name, textOf(value, String)]],
  (name, value) => bracketed(name, value),
  (name, value) => (isNested(value) ? [] : [[name, textOf(value, String)]]),
  (name, value) => (typeof value === 'string' ? [[name, value]] : []),
]

/** Writes the members of a JSON object as parameters. Returns none for any other text, or one that nests deeper. */
export function jsonParameters(body: string, write: JsonWriter): readonly Parameter[] {
  const content = parse(body)
  if (!isNested(content) || Array.isArray(content)) return []
  if (isDeeper(content, DIAGNOSED_LEVELS_MAX)) return []
  const parameters: Parameter[] = []
  for (const [name, value] of Object.entries(content)) {
    parameters.push(...write(name, value))
    if (parameters.length > DIAGNOSED_PARAMETERS_MAX) return []
  }
  return parameters
}

function parse(body: string): Json {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function textOf(value: Json, writeNested: (value: Json) => string): string {
  return isNested(value) ? writeNested(value) : String(value)
}

/** A value as PHP's `http_build_query` writes it: `name[0][inner]`. */
function bracketed(name: string, value: Json): readonly Parameter[] {
  if (value === null) return []
  if (typeof value === 'boolean') return [[name, value ? '1' : '0']]
  if (!isNested(value)) return [[name, String(value)]]
  return Object.entries(value).flatMap(([inner, member]) => bracketed(`${name}[${inner}]`, member))
}

/** Whether a value is an array or an object. */
function isNested(value: Json): value is readonly Json[] | { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null
}

/**
 * Whether a value has more levels. Writing a value takes time for each pair of levels inside each other, also in
 * `JSON.stringify`.
 */
function isDeeper(value: Json, levels: number): boolean {
  if (!isNested(value)) return false
  return levels === 0 || Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1))
}

type Change = (text: string) => string

/** The names under which callers sign the text of a JSON body. */
const BODY_NAMES = ['', 'body', 'data', 'json', 'payload', 'request']

/** What callers sign by mistake instead of the parameters of the query and the form. */
export const BODY_WAYS: Axis = [
  ['form-not-signed', (right, { form }) => without(right, form)],
  ['query-not-signed', (right, { query }) => without(right, query)],
  ['json-members-signed', ...JSON_WRITERS.map((write) => addBody((b) => jsonParameters(b, write)))],
  [
    'json-text-signed',
    addBody((body) => [[body, '']]),
    ...BODY_NAMES.map((name) => addBody((body) => [[name, body]])),
  ],
  ['body-signed-as-form', addBody(parseForm)],
  ['protocol-signed-twice', (right, { repeated }) => add(right, repeated)],
  [
    'duplicates-dropped',
    ({ parameters }) => ({ parameters: [...new Map(parameters)] }),
    ({ parameters }) => ({ parameters: [...new Map(parameters.toReversed())] }),
    ({ parameters }) => ({ parameters: mergeValues(parameters) }),
  ],
  ['empty-dropped', (right) => keep(right, ([name, value]) => value !== '' || isProtocol(name))],
  [
    'line-end-in-form',
    changeSent((text) => text.replace(/(?:\r?\n)+$/, '')),
    changeSent((text) => text.replace(/[ \t\r\n]+$/, '')),
  ],
  ['byte-order-mark', changeSent((text) => text.replace(/^\ufeff/, ''))],
  [
    'plus-not-encoded',
    (_, { header, queryText, isForm, body }) => {
      const form = isForm ? parseForm(keepPlus(body)) : []
      return { parameters: [...header, ...ownOf([...parseForm(keepPlus(queryText)), ...form])] }
    },
    (_, { header, query, isForm, body }) => {
      const form = isForm ? parseForm(keepPlus(body)) : []
      return { parameters: [...header, ...query, ...ownOf(form)] }
    },
  ],
  [
    'sent-encoded-twice',
    changeSent(percentDecode),
    changeSent((text) => percentDecode(text.replaceAll('+', ' '))),
  ],
  [
    'spelling-mixed',
    changeSent((name) => name.replaceAll('-', '_'), same),
    changeSent((name) => name.replaceAll('_', '-'), same),
  ],
]

/** Mistakes with the `oauth_*` parameters: signed and not sent, sent and not signed, or sent otherwise than signed. */
export const PROTOCOL_WAYS: Axis = [
  ['version-not-signed', (right) => leaveOut(right, 'oauth_version')],
  ['version-not-sent', (right) => put(right, 'oauth_version', '1.0')],
  ['body-hash-not-signed', (right) => leaveOut(right, 'oauth_body_hash')],
  ['realm-signed', (right, { realm = '' }) => put(right, 'realm', realm)],
  ['token-not-signed', (right) => leaveOut(right, 'oauth_token')],
  ['token-not-sent', (right) => put(right, 'oauth_token', '')],
  ['signature-signed', (right) => put(right, 'oauth_signature', '')],
  [
    'timestamp-differs',
    ...[1, -1, 2, -2].map((seconds): Way => {
      return (right) => {
        return changeValues(right, (name, value) => {
          return name === 'oauth_timestamp' ? String(Number(value) + seconds) : value
        })
      }
    }),
  ],
  [
    'protocol-encoded-before',
    (right) => {
      return changeValues(right, (name, value) => {
        return isProtocol(name) ? right.encodeValue(value) : value
      })
    },
  ],
]

function isProtocol(name: string): boolean {
  return name.startsWith('oauth_')
}

function ownOf(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.filter(([name]) => !isProtocol(name))
}

function parseForm(text: string): readonly Parameter[] {
  return readForm(text).map(decodeParameter)
}

function same(text: string): string {
  return text
}

/** Writes "+" so that a form keeps it. */
function keepPlus(text: string): string {
  return text.replaceAll('+', '%2B')
}

function keep({ parameters }: Recipe, isKept: (parameter: Parameter) => boolean) {
  return { parameters: parameters.filter(isKept) }
}

function without(right: Recipe, left: readonly Parameter[]) {
  return keep(right, (parameter) => !left.includes(parameter))
}

function leaveOut(right: Recipe, omitted: string) {
  return keep(right, ([name]) => name !== omitted)
}

function add({ parameters }: Recipe, more: readonly Parameter[]) {
  return { parameters: [...parameters, ...more] }
}

/** Adds parameters that are made from a body other than a form. */
function addBody(make: (body: string) => readonly Parameter[]): Way {
  return (right, { isForm, body }) => (isForm ? undefined : add(right, make(body)))
}

function put(right: Recipe, name: string, value: string) {
  const isThere = right.parameters.some((parameter) => parameter[0] === name)
  return isThere ? undefined : add(right, [[name, value]])
}

/** Changes the names and the values of query and form. */
function changeSent(changeName: Change, changeValue = changeName): Way {
  return (_, { header, query, form }: Received) => {
    const changed = [...query, ...form].map(([name, value]): Parameter => {
      return [changeName(name), changeValue(value)]
    })
    return { parameters: [...header, ...changed] }
  }
}

function changeValues({ parameters }: Recipe, change: (name: string, value: string) => string) {
  return {
    parameters: parameters.map(([name, value]): Parameter => [name, change(name, value)]),
  }
}

/** Joins the values of each name with commas. */
function mergeValues(parameters: readonly Parameter[]): readonly Parameter[] {
  const values = new Map<string, string>()
  for (const [name, value] of parameters) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : `${before},${value}`)
  }
  return [...values]
}
