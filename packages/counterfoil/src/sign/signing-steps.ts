import { baseStringUrl, percentEncode, type Signed, type SigningKey } from '@counterfoil/signing'

/** A part of a step's values, and what it is. */
export interface Part {
  readonly text: string
  readonly kind?: 'name' | 'value' | 'method' | 'url' | 'parameters' | 'result'
}

/** A step of a signature: one sentence, the clause of the standard, and the values as lines. */
export interface SigningStep {
  readonly title: string
  readonly sentence: string
  readonly clause: string
  readonly lines: readonly (readonly Part[])[]
}

/** A signed request. */
export interface SignedRequest {
  readonly method: string
  readonly url: string
  readonly key: SigningKey
  /** The number of characters of the control key, percent-encoded. 0 for a private key. */
  readonly controlKeyLength: number
  readonly signed: Signed
}

/** Describes how a request was signed, step by step, from the intermediate values of the signing package. */
export function signingSteps(request: SignedRequest): readonly SigningStep[] {
  return [
    ...hashBody(request.signed),
    gather(request.signed),
    encode(request.signed),
    sortAndJoin(request.signed),
    buildBaseString(request),
    chooseKey(request),
    makeSignature(request),
    writeHeader(request.signed),
  ]
}

function hashBody({ oauthParameters }: Signed): SigningStep[] {
  const [, hash] = oauthParameters.find(([name]) => name === 'oauth_body_hash') ?? []
  if (hash === undefined) return []
  return [
    {
      title: 'Hash the body',
      sentence: 'Compute SHA-256 of the bytes of the body, and write it in base64.',
      clause: 'OAuth Request Body Hash 1.0, 3.2, with SHA-256 in place of SHA-1',
      lines: [pair('oauth_body_hash', hash)],
    },
  ]
}

function gather({ oauthParameters, queryParameters, formParameters }: Signed): SigningStep {
  const sources = { header: oauthParameters, query: queryParameters, form: formParameters }
  const rows = Object.entries(sources).flatMap(([source, parameters]) =>
    parameters.map(([name, value]) => [source, name, value] as const),
  )
  const width = Math.max(...rows.map(([, name]) => name.length))
  return {
    title: 'Gather the parameters',
    sentence:
      'Take the oauth_* parameters, the query and the fields of a form; no other body counts.',
    clause: 'RFC 5849, 3.4.1.3.1',
    lines: rows.map(([source, name, value]) => [
      { text: `${source.padEnd(7)} ` },
      { text: name.padEnd(width + 2), kind: 'name' },
      { text: value, kind: 'value' },
    ]),
  }
}

function encode({ oauthParameters, queryParameters, formParameters }: Signed): SigningStep {
  const parameters = [...oauthParameters, ...queryParameters, ...formParameters]
  return {
    title: 'Encode each name and each value',
    sentence: 'Letters, digits and -._~ stay; each other byte of the UTF-8 text becomes %XX.',
    clause: 'RFC 5849, 3.6',
    lines: parameters.map(([name, value]) => pair(percentEncode(name), percentEncode(value))),
  }
}

function sortAndJoin({ parameterString }: Signed): SigningStep {
  const sorted = parameterString.split('&').map((text) => {
    const equals = text.indexOf('=')
    return pair(text.slice(0, equals), text.slice(equals + 1))
  })
  return {
    title: 'Sort and join the parameters',
    sentence:
      'Sort by encoded name, then by encoded value, byte by byte, and join the pairs with &.',
    clause: 'RFC 5849, 3.4.1.3.2',
    lines: [...sorted, [], [{ text: parameterString, kind: 'parameters' }]],
  }
}

function buildBaseString({ method, url, signed }: SignedRequest): SigningStep {
  const [encodedMethod = '', encodedUrl = '', encodedParameters = ''] = signed.baseString.split('&')
  return {
    title: 'Build the base string',
    sentence: 'Encode the method, the URL and the parameters once more, and join the three with &.',
    clause: 'RFC 5849, 3.4.1.1 and 3.4.1.2',
    lines: [
      [{ text: 'method      ' }, { text: method.toUpperCase(), kind: 'method' }],
      [{ text: 'URL         ' }, { text: baseStringUrl(url), kind: 'url' }],
      [{ text: 'parameters  ' }, { text: 'the joined text above', kind: 'parameters' }],
      [],
      [
        { text: encodedMethod, kind: 'method' },
        { text: '&' },
        { text: encodedUrl, kind: 'url' },
        { text: '&' },
        { text: encodedParameters, kind: 'parameters' },
      ],
    ],
  }
}

function chooseKey({ key, controlKeyLength }: SignedRequest): SigningStep {
  if (key.kind === 'private') {
    return {
      title: 'Take the key',
      sentence: 'Your private key signs; the gateway verifies with the public key that you sent.',
      clause: 'RFC 5849, 3.4.3',
      lines: [[{ text: `RSA ${key.bits}, ${key.fingerprint}` }]],
    }
  }
  return {
    title: 'Take the key',
    sentence:
      'The key is the encoded control key, then &, then a token secret, which is empty here.',
    clause: 'RFC 5849, 3.4.2',
    lines: [[{ text: `********&  (a control key of ${controlKeyLength} characters, then &)` }]],
  }
}

function makeSignature({ key, signed }: SignedRequest): SigningStep {
  const isRsa = key.kind === 'private'
  return {
    title: 'Sign the base string',
    sentence: isRsa
      ? 'Sign with RSASSA-PKCS1-v1_5 and SHA-256, and write the bytes in base64.'
      : 'Compute HMAC-SHA1 of the base string, and write its 20 bytes in base64.',
    clause: isRsa ? 'RFC 5849, 3.4.3, with SHA-256 in place of SHA-1' : 'RFC 5849, 3.4.2',
    lines: [[{ text: signed.signature, kind: 'result' }]],
  }
}

function writeHeader({ headers, body, formParameters }: Signed): SigningStep {
  const sent = { ...headers, ...(formParameters.length > 0 && { '(body)': String(body) }) }
  return {
    title: 'Write the header',
    sentence:
      'Write the encoded oauth_* parameters and the signature in quotes, with commas between.',
    clause: 'RFC 5849, 3.5.1',
    lines: Object.entries(sent).map(([name, value]) => [
      { text: `${name}: `, kind: 'name' },
      { text: value, kind: 'result' },
    ]),
  }
}

function pair(name: string, value: string): readonly Part[] {
  return [{ text: name, kind: 'name' }, { text: '=' }, { text: value, kind: 'value' }]
}
