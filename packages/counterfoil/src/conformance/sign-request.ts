import { constants, createHmac, createSign, type KeyObject, randomUUID } from 'node:crypto'
import {
  type BodyHash,
  bodyHash,
  normalizeParameters,
  parseForm,
  percentEncode,
  signatureBaseString,
} from '@counterfoil/signing'
import type { RawRequest } from './exchange.ts'

export type Secret =
  | { readonly method: 'HMAC-SHA1'; readonly controlKey: string }
  | { readonly method: 'RSA-SHA256'; readonly privateKey: KeyObject }

export interface SignedRequest extends RawRequest {
  readonly baseString: string
}

/** The parameters of a header, with percent-encoded values. */
type Pairs = readonly (readonly [name: string, value: string])[]

type Protocol = Readonly<Record<string, string | undefined>>

type Step = (text: string) => string

interface PlainRequest {
  readonly url: string
  readonly login: string
  readonly secret: Secret
  readonly body: string
  readonly bodyHash?: BodyHash | undefined
}

/** How a request differs from the plain one, in the order in which a request is made. Most changes are mistakes. */
export interface Change {
  /** The signature method without whose key the change makes no sense. */
  readonly needs?: Secret['method']
  /** Of the report request. */
  readonly members?: object
  readonly method?: string
  readonly contentType?: string
  readonly body?: string | Uint8Array
  readonly bodyHash?: BodyHash
  readonly query?: string
  readonly clock?: number
  /** Changes parameters of the protocol before they are signed. `undefined` removes one. */
  readonly oauth?: (own: Protocol) => Protocol
  readonly parameters?: Step
  readonly baseString?: Step
  /** Signs the base string instead of the login's own key. Returns base64. */
  readonly sign?: (baseString: string, secret: Secret) => string
  readonly header?: (pairs: Pairs) => Pairs
  /** Writes the header. `undefined` sends none. */
  readonly write?: (pairs: Pairs) => string | string[] | undefined
  /** The query that is sent, instead of the signed one. */
  readonly sentQuery?: (pairs: Pairs) => string
  readonly sentBody?: Step
}

/** Signs a request with deliberate changes, with `node:crypto`: the signing package refuses to make most of them. */
export async function signRequest(plain: PlainRequest, change: Change): Promise<SignedRequest> {
  const { url, login, secret } = plain
  const { method = 'POST', contentType = 'application/json', body = plain.body } = change
  const hash = change.bodyHash ?? plain.bodyHash
  const own: Protocol = {
    ...(hash && { oauth_body_hash: await bodyHash(hash, body) }),
    oauth_consumer_key: login,
    oauth_nonce: randomUUID().replaceAll('-', ''),
    oauth_signature_method: secret.method,
    oauth_timestamp: String(Math.floor(Date.now() / 1000) + (change.clock ?? 0)),
    oauth_version: '1.0',
  }
  const oauth = Object.entries({ ...own, ...change.oauth?.(own) }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  const all = normalizeParameters([...oauth, ...parseForm(change.query ?? '')])
  const parameterString = change.parameters?.(all) ?? all
  const base = signatureBaseString({ method, url, parameterString })
  const baseString = change.baseString?.(base) ?? base
  const signature = (change.sign ?? signBase)(baseString, secret)
  const encoded: Pairs = [...oauth, ['oauth_signature', signature] as const].map(
    ([name, value]) => [name, percentEncode(value)],
  )
  const pairs = change.header?.(encoded) ?? encoded
  const authorization = (change.write ?? writeHeader)(pairs)
  const sentQuery = change.sentQuery?.(pairs) ?? change.query ?? ''
  return {
    method,
    url: url + (sentQuery && `?${sentQuery}`),
    headers: {
      'Content-Type': contentType,
      ...(authorization !== undefined && { Authorization: authorization }),
    },
    body: Buffer.from(change.sentBody?.(String(body)) ?? body),
    baseString,
  }
}

/** Signs a base string as the specification says. Returns base64. */
export function signBase(baseString: string, secret: Secret): string {
  return secret.method === 'HMAC-SHA1'
    ? hmac(baseString, `${percentEncode(secret.controlKey)}&`)
    : rsa(baseString, secret.privateKey)
}

function hmac(baseString: string, key: string, hash = 'sha1'): string {
  return createHmac(hash, key).update(baseString).digest('base64')
}

function rsa(base: string, key: KeyObject, hash = 'RSA-SHA256', isPss = false): string {
  const padding = isPss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  return createSign(hash).update(base).sign({ key, padding }, 'base64')
}

export function writeHeader(pairs: Pairs, separator = ','): string {
  return `OAuth ${pairs.map(([name, value]) => `${name}="${value}"`).join(separator)}`
}

export function nonce(change: Step): Change {
  return { oauth: ({ oauth_nonce: random = '' }) => ({ oauth_nonce: change(random) }) }
}

/** Changes the values of the header: those of `name`, or all. */
export function values(change: Step, name?: string): (pairs: Pairs) => Pairs {
  return (pairs) => {
    return pairs.map(([own, value]) => [own, own === (name ?? own) ? change(value) : value])
  }
}

/** Signs a URL that is not the one of the request. */
export function otherUrl(change: Step): Change {
  const encoded = /(?<=^\w+&)[^&]*/
  return {
    baseString: (base) => {
      return base.replace(encoded, (url) => percentEncode(change(decodeURIComponent(url))))
    },
  }
}

export function alsoSigned(parameter: string): Change {
  return { parameters: (all) => [...all.split('&'), parameter].toSorted().join('&') }
}

export function lowerHex(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (encoded) => encoded.toLowerCase())
}

/** Sends a nonce with a percent sign, whose value is encoded in another way in the signed parameters. */
export function reencoded(change: Step): Change {
  const encoded = /(?<=oauth_nonce=)[^&]*/
  return {
    ...nonce((random) => `${random}%/`),
    parameters: (text) => text.replace(encoded, (value) => change(value)),
  }
}

export function resigned(change: (bytes: Buffer) => Uint8Array): Change {
  return {
    sign: (base, secret) => {
      const right = Buffer.from(signBase(base, secret), 'base64')
      return Buffer.from(change(right)).toString('base64')
    },
  }
}

/** Signs with another key than the control key and an ampersand, or with another hash. */
export function hmacWith(keyOf: Step, hash?: string): Change {
  return {
    needs: 'HMAC-SHA1',
    sign: (base, secret) => {
      const key = secret.method === 'HMAC-SHA1' ? percentEncode(secret.controlKey) : ''
      return hmac(base, keyOf(key), hash)
    },
  }
}

export function rsaWith(hash: string, isPss = false, other?: () => KeyObject): Change {
  return {
    needs: 'RSA-SHA256',
    sign: (base, secret) => {
      const key = other?.() ?? (secret.method === 'RSA-SHA256' ? secret.privateKey : undefined)
      return key ? rsa(base, key, hash, isPss) : ''
    },
  }
}
