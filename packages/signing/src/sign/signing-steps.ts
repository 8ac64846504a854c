import { baseStringUrl, readQuery } from '../parameters/base-string.ts'
import { isForm, readForm } from '../parameters/form.ts'
import type { SigningKey } from '../keys/keys.ts'
import {
  decodeParameter,
  type EncodedParameter,
  type Parameter,
  percentEncode,
} from '../parameters/parameters.ts'
import type { Signed } from './sign.ts'

/** A part of a step's values, and what it is. A line that begins with a label is a row of a table. */
export interface SigningPart {
  readonly text: string
  readonly kind?: 'label' | 'name' | 'value' | 'method' | 'url' | 'parameters' | 'result'
}

/** A step of a signature: one sentence, the clause of the standard, and the values as lines. */
export interface SigningStep {
  /** Stable: let your code decide by it. */
  readonly name:
    | 'body-hash'
    | 'gather'
    | 'encode'
    | 'sort'
    | 'base-string'
    | 'key'
    | 'signature'
    | 'header'
  readonly title: string
  readonly sentence: string
  /** The clause of RFC 5849, and the step of the specification's "Signature generation". */
  readonly clause: string
  readonly lines: readonly (readonly SigningPart[])[]
}

/** A signed request, and the key that signed it. */
export interface SignedRequest {
  readonly method: string
  readonly url: string
  readonly key: SigningKey
  /** The number of characters of the control key, percent-encoded. 0 for a private key. */
  readonly controlKeyLength: number
  readonly signed: Signed
}

/** The signed parameters by the part of the request that they come from, in their order. */
type Sources = Readonly<Record<'header' | 'query' | 'form', readonly Parameter[]>>

/** The characters of a SHA-1 in base64. */
const SHA1_CHARACTERS = 28

/**
 * Explains how a request was signed, step by step, from the intermediate values that `sign` returns. No step shows the
 * key.
 *
 * @example
 * const key = await importControlKey('control-key')
 * const request = { method: 'GET', url: 'https://example.com/b?a=1' }
 * const signed = await sign(request, { consumerKey: 'shop', key })
 * const steps = signingSteps({ ...request, key, controlKeyLength: 11, signed })
 * steps.map(({ name }) => name)
 * // ['gather', 'encode', 'sort', 'base-string', 'key', 'signature', 'header']
 */
export function signingSteps(request: SignedRequest): readonly SigningStep[] {
  return stepsOf(request).map(([name, title, sentence, clause, lines]) => {
    return { name, title, sentence, clause, lines }
  })
}

type Lines = SigningStep['lines']
type Step = readonly [SigningStep['name'], title: string, sentence: string, clause: string, Lines]

// biome-ignore format: a step is a few lines of the table
function stepsOf(request: SignedRequest): readonly Step[] {
  const { key, controlKeyLength, signed } = request
  const sources = sourcesOf(request)
  const isRsa = key.kind === 'private'
  return [
    ...hashBody(signed),
    ['gather', 'Gather the parameters',
      'Take the oauth_* parameters, the query and the fields of a form; no other body counts.',
      clauseOf('RFC 5849, 3.4.1.3.1', 1),
      Object.entries(sources).flatMap(([source, parameters]) =>
        parameters.map(([name, value]) => row(source, [name, 'name'], [value, 'value'])))],
    ['encode', 'Encode each name and each value',
      'Letters, digits and -._~ stay; each other byte of the UTF-8 text becomes %XX.',
      clauseOf('RFC 5849, 3.6', 2),
      Object.values(sources).flat().map((own) => pair([percentEncode(own[0]), percentEncode(own[1])]))],
    ['sort', 'Sort and join the parameters',
      'Sort by encoded name, then by encoded value, byte by byte, and join the pairs with &.',
      clauseOf('RFC 5849, 3.4.1.3.2', 3, 4),
      [...signed.parameterString.split('&').map((text) => pair(text.split('='))), [],
        [{ text: signed.parameterString, kind: 'parameters' }]]],
    ['base-string', 'Build the base string',
      'Encode the method, the URL and the parameters once more, and join the three with &.',
      clauseOf('RFC 5849, 3.4.1.1 and 3.4.1.2', 5),
      baseStringLines(request)],
    ['key', 'Take the key',
      isRsa
        ? 'Your private key signs; the gateway verifies with the public key that you sent.'
        : 'The key is the encoded control key, then &, then a token secret, which is empty here.',
      clauseOf(isRsa ? 'RFC 5849, 3.4.3' : 'RFC 5849, 3.4.2', 6),
      [[{ text: isRsa
        ? `RSA ${key.bits}, ${key.fingerprint}`
        : `********&  (a control key of ${controlKeyLength} characters, then &)` }]]],
    ['signature', 'Sign the base string',
      isRsa
        ? 'Sign with RSASSA-PKCS1-v1_5 and SHA-256, and write the bytes in base64.'
        : 'Compute HMAC-SHA1 of the base string, and write its 20 bytes in base64.',
      clauseOf(isRsa ? 'RFC 5849, 3.4.3, with SHA-256 in place of SHA-1' : 'RFC 5849, 3.4.2', 6, 7),
      [[{ text: signed.signature, kind: 'result' }]]],
    ['header', 'Write the header',
      'Write the encoded oauth_* parameters and the signature in quotes, with commas between.',
      'RFC 5849, 3.5.1; specification, "Authorization header"',
      headerLines(signed, sources)],
  ]
}

function hashBody({ oauthParameters }: Signed): readonly Step[] {
  const [, hash] = oauthParameters.find(([name]) => name === 'oauth_body_hash') ?? []
  if (hash === undefined) return []
  const isSha1 = hash.length === SHA1_CHARACTERS
  const sentence = `Compute ${isSha1 ? 'SHA-1' : 'SHA-256'} of the bytes of the body, and write it in base64.`
  const clause = `OAuth Request Body Hash 1.0, 3.2${isSha1 ? '' : ', with SHA-256 in place of SHA-1'}`
  return [['body-hash', 'Hash the body', sentence, clause, [pair(['oauth_body_hash', hash])]]]
}

function baseStringLines({ method, url, signed }: SignedRequest): Lines {
  const [encodedMethod = '', encodedUrl = '', encodedParameters = ''] = signed.baseString.split('&')
  return [
    row('method', [method.toUpperCase(), 'method']),
    row('URL', [baseStringUrl(url), 'url']),
    row('parameters', ['the joined text above', 'parameters']),
    [],
    [
      { text: encodedMethod, kind: 'method' },
      { text: '&' },
      { text: encodedUrl, kind: 'url' },
      { text: '&' },
      { text: encodedParameters, kind: 'parameters' },
    ],
  ]
}

function headerLines({ headers, body }: Signed, { form }: Sources): Lines {
  const sent = { ...headers, ...(form.length > 0 && { '(body)': String(body) }) }
  return Object.entries(sent).map(([name, value]) => [
    { text: `${name}: `, kind: 'name' },
    { text: value, kind: 'result' },
  ])
}

/** Finds the signed parameters again. An `oauth_*` parameter of the query or the form counts as one of the header. */
function sourcesOf({ url, signed: { oauthParameters, headers, body } }: SignedRequest): Sources {
  const form = isForm(headers['Content-Type']) ? readForm(body ?? '') : []
  return {
    header: oauthParameters,
    query: withoutProtocol(readQuery(url)),
    form: withoutProtocol(form),
  }
}

function withoutProtocol(parameters: readonly EncodedParameter[]): Parameter[] {
  return parameters.filter(([name]) => !name.startsWith('oauth_')).map(decodeParameter)
}

/** The parts of an encoded parameter stand around its only "=". */
function pair([name = '', value = '']: readonly string[]): readonly SigningPart[] {
  return [{ text: name, kind: 'name' }, { text: '=' }, { text: value, kind: 'value' }]
}

function row(
  label: string,
  ...cells: readonly (readonly [text: string, kind: SigningPart['kind'] & string])[]
): readonly SigningPart[] {
  return [{ text: label, kind: 'label' }, ...cells.map(([text, kind]) => ({ text, kind }))]
}

/** Adds the steps of the specification to a clause of the RFC. */
function clauseOf(rfc: string, ...steps: readonly number[]): string {
  return `${rfc}; specification, "Signature generation", ${steps.join(' and ')}`
}
