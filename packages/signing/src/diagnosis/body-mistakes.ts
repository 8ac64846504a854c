import { readForm } from '../form.ts'
import { decodeParameter, type Parameter } from '../parameter.ts'
import { percentDecode } from '../encode.ts'
import { JSON_WRITERS, jsonParameters } from './json-parameters.ts'
import type { BaseStringMistake, Way } from './mistake.ts'
import type { Received } from './received.ts'

const GATHERING = 'RFC 5849, 3.4.1.3.1'
const BODY_NAMES = ['', 'body', 'data', 'json', 'payload', 'request']

/** What callers sign by mistake instead of the query's and the form's parameters. */
export const BODY_MISTAKES = [
  {
    code: 'form-not-signed',
    sentence: "You left the form's fields out of the signature.",
    fix: "Sign each field of the form together with the oauth_* parameters and the query's.",
    clause: 'specification, Signature generation, step 1',
    ways: [({ parameters }, { form }) => without(parameters, form)],
  },
  {
    code: 'query-not-signed',
    sentence: "You left the query's parameters out of the signature.",
    fix: 'Sign each parameter of the query as if it were a field of the form.',
    clause: GATHERING,
    ways: [({ parameters }, { query }) => without(parameters, query)],
  },
  {
    code: 'json-members-signed',
    sentence: 'You signed the members of the JSON body as parameters.',
    fix: 'Sign only the oauth_* parameters and the query. The signature does not cover a JSON body.',
    clause: GATHERING,
    ways: JSON_WRITERS.map((writer): Way => {
      return ({ parameters }, received) => {
        return received.isForm ? undefined : add(parameters, jsonParameters(received.body, writer))
      }
    }),
  },
  {
    code: 'json-text-signed',
    sentence: 'You signed the text of the JSON body as one parameter.',
    fix: 'Sign only the oauth_* parameters and the query. The signature does not cover a JSON body.',
    clause: GATHERING,
    ways: [
      ({ parameters }, { isForm, body }) => {
        return isForm || body === '' ? undefined : add(parameters, [[body, '']])
      },
      ...BODY_NAMES.map((name): Way => {
        return ({ parameters }, { isForm, body }) => {
          return isForm || body === '' ? undefined : add(parameters, [[name, body]])
        }
      }),
    ],
  },
  {
    code: 'body-signed-as-form',
    sentence: 'You signed the body as a form, and sent it with another Content-Type.',
    fix: 'Send a form with "Content-Type: application/x-www-form-urlencoded".',
    clause: GATHERING,
    ways: [
      ({ parameters }, { isForm, body }) => {
        return isForm || !body.includes('=') ? undefined : add(parameters, formOf(body))
      },
    ],
  },
  {
    code: 'protocol-signed-twice',
    sentence: 'You signed the oauth_* parameters of the header, and those of the body once more.',
    fix: 'Sign each oauth_* parameter once, also if the body repeats it.',
    clause: 'docs/signing.md, The steps, byte by byte',
    ways: [({ parameters }, { repeated }) => add(parameters, repeated)],
  },
  {
    code: 'duplicates-dropped',
    sentence: 'You signed one value of a name that the request sends more than once.',
    fix: 'Sign every value of a repeated name.',
    clause: 'RFC 5849, 3.4.1.3.2',
    ways: [
      ({ parameters }) => ({ parameters: [...new Map(parameters)] }),
      ({ parameters }) => ({ parameters: [...new Map(parameters.toReversed())] }),
      ({ parameters }) => ({ parameters: merged(parameters) }),
    ],
  },
  {
    code: 'empty-dropped',
    sentence: 'You left a parameter with an empty value out of the signature.',
    fix: 'Sign "name=" for each parameter that you send without a value.',
    clause: GATHERING,
    ways: [
      ({ parameters }) => ({
        parameters: parameters.filter(([name, value]) => value !== '' || name.startsWith('oauth_')),
      }),
    ],
  },
  {
    code: 'line-end-in-form',
    sentence: 'You sent a line end after the form, and did not sign the line end.',
    fix: 'Send the form without a line end (curl: --data-raw, or printf for echo).',
    clause: GATHERING,
    ways: [
      (_, received) => resigned(received, (value) => value.replace(/(?:\r?\n)+$/, '')),
      (_, received) => resigned(received, (value) => value.replace(/[ \t\r\n]+$/, '')),
    ],
  },
  {
    code: 'byte-order-mark',
    sentence: 'You sent a byte order mark before the form, and did not sign the mark.',
    fix: 'Write the body as UTF-8 without a byte order mark.',
    clause: GATHERING,
    ways: [(_, received) => resigned(received, (value) => value.replace(/^\ufeff/, ''))],
  },
  {
    code: 'plus-not-encoded',
    sentence: 'You sent "+" in the form or the query and meant a plus: there it is a space.',
    fix: 'Write %2B for a plus in the form and in the query.',
    clause: GATHERING,
    ways: [
      (_, received) => reread(received, (text) => text.replaceAll('+', '%2B')),
      (_, received) => {
        const form = received.isForm ? formOf(received.body.replaceAll('+', '%2B')) : []
        return { parameters: [...received.header, ...received.query, ...ownOf(form)] }
      },
    ],
  },
  {
    code: 'sent-encoded-twice',
    sentence: 'You encoded the values of the form or the query once more after you signed them.',
    fix: 'Send the values encoded once: the HTTP library may encode them for you.',
    clause: GATHERING,
    ways: [
      (_, received) => resigned(received, percentDecode),
      (_, received) => resigned(received, (text) => percentDecode(text.replaceAll('+', ' '))),
    ],
  },
  {
    code: 'spelling-mixed',
    sentence: 'You signed a name with "_" and sent it with "-", or the reverse.',
    fix: 'Sign every name as you send it.',
    clause: GATHERING,
    ways: [
      (_, received) => renamed(received, (name) => name.replaceAll('-', '_')),
      (_, received) => renamed(received, (name) => name.replaceAll('_', '-')),
    ],
  },
] as const satisfies readonly BaseStringMistake[]

function without(parameters: readonly Parameter[], left: readonly Parameter[]) {
  return left.length === 0
    ? undefined
    : { parameters: parameters.filter((parameter) => !left.includes(parameter)) }
}

function add(parameters: readonly Parameter[], more: readonly Parameter[]) {
  return more.length === 0 ? undefined : { parameters: [...parameters, ...more] }
}

function formOf(body: string): readonly Parameter[] {
  return readForm(body).map(decodeParameter)
}

function ownOf(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.filter(([name]) => !name.startsWith('oauth_'))
}

function reread({ header, queryText, isForm, body }: Received, change: (text: string) => string) {
  const form = isForm ? formOf(change(body)) : []
  return { parameters: [...header, ...ownOf([...formOf(change(queryText)), ...form])] }
}

/** Changes the names and the values of query and form. */
function resigned({ header, query, form }: Received, change: (text: string) => string) {
  const changed = [...query, ...form].map(([name, value]) => [change(name), change(value)] as const)
  return { parameters: [...header, ...changed] }
}

function renamed({ header, query, form }: Received, change: (name: string) => string) {
  const changed = [...query, ...form].map(([name, value]) => [change(name), value] as const)
  return { parameters: [...header, ...changed] }
}

/** Joins the values of each name with commas. */
function merged(parameters: readonly Parameter[]): readonly Parameter[] {
  const values = new Map<string, string>()
  for (const [name, value] of parameters) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : `${before},${value}`)
  }
  return [...values]
}
