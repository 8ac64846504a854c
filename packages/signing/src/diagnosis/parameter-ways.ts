import { percentDecode } from '../parameters/encode.ts'
import { readForm } from '../parameters/form.ts'
import { decodeParameter, type Parameter } from '../parameters/parameter.ts'
import { JSON_WRITERS, jsonParameters } from './json-parameters.ts'
import type { Received } from './received.ts'
import type { Axis, Recipe, Way } from './recipe.ts'

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
