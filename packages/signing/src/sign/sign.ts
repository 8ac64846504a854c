import { signerFor, type SigningKey } from '../keys/keys.ts'
import { readQuery, signatureBaseString } from '../parameters/base-string.ts'
import { type BodyHash, bodyHash } from '../parameters/body-hash.ts'
import {
  type EncodedParameter,
  encodeParameters,
  gatherParameters,
  joinParameters,
  type Parameter,
  type ParameterList,
  percentEncode,
  sortAndJoin,
} from '../parameters/parameters.ts'
import { FORM_TYPE, isForm, readForm } from '../parameters/form.ts'
import { writeAuthorization } from '../parameters/header.ts'
import { SigningError } from '../refusals/signing-error.ts'
import { isNonce, isTimestamp, NONCE_FORM } from '../verify/request-faults.ts'

/** A request to sign. The signature covers a form's parameters, and no other body unless you sign its hash. */
export interface RequestToSign {
  readonly method: string
  /** Absolute, http or https, exactly as you send it. */
  readonly url: string | URL
  /** The parameters of a form. Send {@link Signed.body}. */
  readonly form?: ParameterList
  readonly contentType?: string
  /** The body to send. With the content type of a form, it is parsed and signed as one. */
  readonly body?: Uint8Array | string
}

/** The login that signs, and its key. The key decides the signature method. */
export interface Credentials {
  readonly consumerKey: string
  readonly key: SigningKey
}

/** Options of {@link sign}. */
export interface SignOptions {
  /** 1 to 128 visible ASCII characters; by default a random UUID. */
  readonly nonce?: string
  /** Seconds since 1970; by default the current time. */
  readonly timestampSeconds?: number
  /** Written into the header, and not signed. */
  readonly realm?: string
  /** Adds a signed `oauth_body_hash` with this hash function. Not for a form, whose parameters are signed anyway. */
  readonly bodyHash?: BodyHash
}

/** A signature and every intermediate value that led to it. */
export interface Signed {
  /** The headers to send: `Authorization`, and `Content-Type` if the request is a form or names one. */
  readonly headers: Readonly<Record<string, string>>
  /** The body to send, as signed. Undefined if the request has none. */
  readonly body: Uint8Array | string | undefined
  /** The value of the Authorization header. */
  readonly authorization: string
  /** The signed `oauth_*` parameters in the order of their names, without `oauth_signature`. */
  readonly oauthParameters: readonly Parameter[]
  readonly parameterString: string
  readonly baseString: string
  /** Base64. */
  readonly signature: string
}

/**
 * Signs a request with HMAC-SHA1 or RSA-SHA256, whichever the key is for (RFC 5849, 3.4; specification, "Signature
 * generation").
 *
 * @returns The headers and the body to send, and every intermediate value.
 * @throws {SigningError} `options`, `oauth-parameter`, `url`, `encoding` or `key`; the message says what to pass.
 * @example
 * const key = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
 * const form = new URLSearchParams({ amount: '10.42' })
 * const request = { method: 'POST', url: 'https://gate.example.com/a', form }
 * const { headers, body } = await sign(request, { consumerKey: 'merchant-login', key })
 * Object.keys(headers) // ['Authorization', 'Content-Type']
 * body // 'amount=10.42'
 */
export async function sign(
  request: RequestToSign,
  credentials: Credentials,
  options: SignOptions = {},
): Promise<Signed> {
  const signText = signerFor(credentials.key)
  const { method, contentType } = request
  const url = String(request.url)
  const form = formOf(request)
  if (form && options.bodyHash) throw invalid('no body hash with a form, which is signed itself')
  const hash = options.bodyHash && (await bodyHash(options.bodyHash, request.body ?? ''))
  const oauthParameters = protocolParameters(credentials, options, hash)
  const encoded = encodeParameters(oauthParameters)
  const parameterString = sortAndJoin(gatherParameters(encoded, readQuery(url), form ?? []))
  const baseString = signatureBaseString({ method, url, parameterString })
  const signature = await signText(baseString)
  // In the order of the names.
  const at = encoded.findIndex(([name]) => name === 'oauth_signature_method')
  const inHeader = encoded.toSpliced(at, 0, ['oauth_signature', percentEncode(signature)])
  const authorization = writeAuthorization(inHeader, options.realm)
  const sentType = contentType ?? (request.form && FORM_TYPE)
  return {
    headers: {
      Authorization: authorization,
      ...(sentType !== undefined && { 'Content-Type': sentType }),
    },
    body: request.form && form ? joinParameters(form) : request.body,
    authorization,
    oauthParameters,
    parameterString,
    baseString,
    signature,
  }
}

function formOf({ form, contentType, body }: RequestToSign): EncodedParameter[] | undefined {
  if (form && body !== undefined) throw invalid('a form or a body, not both')
  if (!form) return isForm(contentType) ? readForm(body ?? '') : undefined
  if (contentType !== undefined && !isForm(contentType)) {
    throw invalid(`the contentType of a form to be ${FORM_TYPE}, or absent`)
  }
  return encodeParameters(form)
}

/** Returns the `oauth_*` parameters in the order of their names. */
function protocolParameters(
  { consumerKey, key }: Credentials,
  options: SignOptions,
  hash: string | undefined,
): Parameter[] {
  const { nonce = crypto.randomUUID(), timestampSeconds = Math.floor(Date.now() / 1000) } = options
  const timestamp = String(timestampSeconds)
  if (consumerKey === '') throw invalid('a merchant login (consumer key) that is not empty')
  if (!isNonce(nonce)) throw invalid(`a nonce of ${NONCE_FORM}`)
  if (!isTimestamp(timestamp)) {
    throw invalid('timestampSeconds as a number of whole seconds since 1970')
  }
  return [
    ...(hash === undefined ? [] : [['oauth_body_hash', hash] as const]),
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', key.method],
    ['oauth_timestamp', timestamp],
    ['oauth_version', '1.0'],
  ]
}

function invalid(expected: string): SigningError {
  return new SigningError('options', `expected ${expected}`)
}
