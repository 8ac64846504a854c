import { constants, createHmac, createSign, type KeyObject, randomUUID } from 'node:crypto'
import {
  type BodyHash,
  bodyHash,
  normalizeParameters,
  type Parameter,
  parseForm,
  percentEncode,
  signatureBaseString,
} from '@counterfoil/signing'
import type { RawRequest } from '../connection/exchange.ts'

/** The key of the login. */
export type Secret =
  | { readonly method: 'HMAC-SHA1'; readonly controlKey: string }
  | { readonly method: 'RSA-SHA256'; readonly privateKey: KeyObject }

/** A request that is ready to be sent, and the base string that was signed. */
export interface SignedRequest extends RawRequest {
  readonly body: Buffer
  readonly baseString: string
}

/** The parameters of a header, with percent-encoded values. */
export type Pairs = readonly (readonly [name: string, value: string])[]

/** The parameters of the protocol by name. */
export type Protocol = Readonly<Record<string, string | undefined>>

/** What is signed and sent, before any change. */
export interface PlainRequest {
  readonly url: string
  readonly login: string
  readonly secret: Secret
  readonly contentType: string
  readonly body: string
  readonly bodyHash?: BodyHash | undefined
  /** Seconds since 1970. */
  readonly now: number
}

/** How a request differs from the plain one. Most changes are mistakes that a gateway must notice. */
export interface Change {
  /** The signature method without whose key the change makes no sense. */
  readonly needs?: Secret['method']
  /** Other members of the report request. */
  readonly members?: object
  /** A form of the operation payout instead of the report request. */
  readonly form?: string
  /** The method that is signed and sent. */
  readonly method?: string
  readonly contentType?: string
  /** The body that is sent. Only a form and a body hash are signed. */
  readonly body?: string | Uint8Array
  readonly bodyHash?: BodyHash
  /** A query, which is sent and signed. */
  readonly query?: string
  /** Seconds to add to the timestamp. */
  readonly clock?: number
  /** Changes parameters of the protocol before they are signed. `undefined` removes one. */
  readonly oauth?: (own: Protocol) => Protocol
  /** More parameters that are signed and not sent. */
  readonly alsoSigned?: readonly Parameter[]
  /** What is signed instead of what is sent. */
  readonly signed?: {
    readonly method?: string
    readonly url?: (url: string) => string
    readonly form?: readonly Parameter[]
    /** Changes the normalised parameters. */
    readonly parameters?: (parameters: string) => string
    readonly baseString?: (baseString: string) => string
  }
  /** Signs the base string instead of the login's own key. Returns base64. */
  readonly sign?: (baseString: string, secret: Secret) => string
  readonly realm?: string
  /** Changes the header's parameters after signing. */
  readonly header?: (pairs: Pairs) => Pairs
  /** Writes the header. `undefined` sends none. */
  readonly write?: (pairs: Pairs) => string | string[] | undefined
  /** The query that is sent, instead of the signed one. */
  readonly sentQuery?: (pairs: Pairs) => string
  readonly headers?: Readonly<Record<string, string>>
  /** Changes the body after signing. */
  readonly sentBody?: (body: string, pairs: Pairs) => string
}

/**
 * Signs a request with deliberate changes. It signs with `node:crypto` and not with the signing package, because that
 * package refuses to make most of these requests.
 */
export async function signRequest(
  plain: PlainRequest,
  change: Change = {},
): Promise<SignedRequest> {
  const { login, secret, now } = plain
  const {
    method = 'POST',
    contentType = plain.contentType,
    body = plain.body,
    signed = {},
  } = change
  const hash = change.bodyHash ?? plain.bodyHash
  const own: Protocol = {
    ...(hash && { oauth_body_hash: await bodyHash(hash, body) }),
    oauth_consumer_key: login,
    oauth_nonce: randomUUID().replaceAll('-', ''),
    oauth_signature_method: secret.method,
    oauth_timestamp: String(Math.floor(now) + (change.clock ?? 0)),
    oauth_version: '1.0',
  }
  const oauth = Object.entries({ ...own, ...change.oauth?.(own) }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  const isForm = contentType.startsWith('application/x-www-form-urlencoded')
  const form = signed.form ?? (isForm ? parseForm(body) : [])
  const others = [...parseForm(change.query ?? ''), ...form, ...(change.alsoSigned ?? [])]
  const isOther = ([name]: Parameter): boolean => !oauth.some(([known]) => known === name)
  const normalized = normalizeParameters([...oauth, ...others.filter(isOther)])
  const base = signatureBaseString({
    method: signed.method ?? method,
    url: signed.url?.(plain.url) ?? plain.url,
    parameterString: signed.parameters?.(normalized) ?? normalized,
  })
  const baseString = signed.baseString?.(base) ?? base
  const signature = (change.sign ?? signBase)(baseString, secret)
  const all = [...oauth, ['oauth_signature', signature] as const]
  const encoded: Pairs = all.map(([name, value]) => [name, percentEncode(value)])
  const pairs = change.header?.(encoded) ?? encoded
  const write = change.write ?? writeHeader
  const authorization = write(
    change.realm === undefined ? pairs : [['realm', change.realm], ...pairs],
  )
  const sentQuery = change.sentQuery?.(pairs) ?? change.query ?? ''
  return {
    method,
    url: plain.url + (sentQuery && `?${sentQuery}`),
    headers: {
      'Content-Type': contentType,
      ...(authorization !== undefined && { Authorization: authorization }),
      ...change.headers,
    },
    body: Buffer.from(change.sentBody?.(String(body), pairs) ?? body),
    baseString,
  }
}

/** Signs a base string as the specification says. Returns base64. */
export function signBase(baseString: string, secret: Secret): string {
  return secret.method === 'HMAC-SHA1'
    ? hmac(baseString, `${percentEncode(secret.controlKey)}&`)
    : rsa(baseString, secret.privateKey)
}

/** Returns the HMAC of a base string in base64. */
export function hmac(baseString: string, key: string, hash = 'sha1'): string {
  return createHmac(hash, key).update(baseString).digest('base64')
}

/** Returns the RSA signature of a base string in base64. */
export function rsa(
  baseString: string,
  key: KeyObject,
  hash = 'RSA-SHA256',
  isPss = false,
): string {
  const padding = isPss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  return createSign(hash).update(baseString).sign({ key, padding }, 'base64')
}

/** Writes a header with `name="value"`, separated by commas. */
export function writeHeader(pairs: Pairs, separator = ','): string {
  return `OAuth ${pairs.map(([name, value]) => `${name}="${value}"`).join(separator)}`
}
