import { readQuery, signatureBaseString } from './base-string.ts'
import { type BodyHash, bodyHash } from './body-hash.ts'
import { percentEncode } from './encode.ts'
import { isForm, readForm } from './form.ts'
import { writeAuthorization } from './header.ts'
import type { SigningKey } from './keys.ts'
import { METHODS } from './methods.ts'
import { type EncodedParameter, encodeParameter, type Parameter } from './parameter.ts'
import { gatherParameters, sortAndJoin } from './parameters.ts'
import { isNonce, isTimestamp, NONCE_FORM } from './protocol-parameters.ts'
import { SigningError } from './signing-error.ts'

/** A request that is to be signed. A form takes part in the signature; any other body does not. */
export interface RequestToSign {
  readonly method: string
  /** Absolute, http or https, as it will be sent. */
  readonly url: string
  /** A form's parameters; sent as `encodeForm` writes them. */
  readonly form?: readonly Parameter[]
  readonly contentType?: string
  /** What is sent; a form where the content type says so. */
  readonly body?: Uint8Array | string
}

/** Who signs: the merchant login and its key. The key decides the signature method. */
export interface Credentials {
  readonly consumerKey: string
  readonly key: SigningKey
}

/** A token and its secret, for services that use them (RFC 5849, 2.3); the gateway does not. */
export interface Token {
  readonly token: string
  readonly secret: string
}

/** What may be chosen about a signature. */
export interface SignOptions {
  /** 1 to 128 visible ASCII characters; a random UUID where it is absent. */
  readonly nonce?: string
  /** Seconds since 1970; now where it is absent. */
  readonly timestampSeconds?: number
  readonly realm?: string
  /**
   * Signs `oauth_body_hash` too, made with this hash; not for a form, whose body is signed anyway.
   */
  readonly bodyHash?: BodyHash
  readonly token?: Token
}

/** A signature with everything that led to it. */
export interface Signed {
  /** The value of the Authorization header. */
  readonly authorization: string
  /** The `oauth_*` parameters that were signed, by name; without `oauth_signature`. */
  readonly oauthParameters: readonly Parameter[]
  readonly parameterString: string
  readonly baseString: string
  /** In base64. */
  readonly signature: string
}

/**
 * Signs a request (RFC 5849, 3.4; the specification's "Signature generation"). Throws `options`,
 * `parameters`, `url`, `encoding`, `header` or `key`, where what was given cannot be signed.
 */
export async function sign(
  request: RequestToSign,
  credentials: Credentials,
  options: SignOptions = {},
): Promise<Signed> {
  const { method, url } = request
  const { key } = credentials
  const form = formOf(request) ?? []
  const hash = options.bodyHash && (await hashOfBody(request, options.bodyHash))
  const oauthParameters = protocolParameters(credentials, options, hash)
  const encoded = oauthParameters.map(encodeParameter)
  const parameterString = sortAndJoin(gatherParameters(encoded, readQuery(url), form))
  const baseString = signatureBaseString({ method, url, parameterString })
  const signature = await METHODS[key.method].sign(baseString, key, options.token?.secret)
  return {
    authorization: writeAuthorization(withSignature(encoded, signature), options.realm),
    oauthParameters,
    parameterString,
    baseString,
    signature,
  }
}

function formOf({ form, contentType, body }: RequestToSign): EncodedParameter[] | undefined {
  if (form && body !== undefined) throw invalid('a form or a body, not both')
  if (form) return form.map(encodeParameter)
  return isForm(contentType) ? readForm(body ?? '') : undefined
}

async function hashOfBody(request: RequestToSign, hash: BodyHash): Promise<string> {
  if (formOf(request)) throw invalid('no body hash with a form, which is signed itself')
  return await bodyHash(hash, request.body ?? '')
}

/** In the order of their names. */
function protocolParameters(
  { consumerKey, key }: Credentials,
  options: SignOptions,
  hash: string | undefined,
): Parameter[] {
  const { nonce = crypto.randomUUID(), timestampSeconds = Math.floor(Date.now() / 1000) } = options
  const timestamp = String(timestampSeconds)
  if (consumerKey === '') throw invalid('a merchant login (consumer key) that is not empty')
  if (options.nonce !== undefined && !isNonce(options.nonce))
    throw invalid(`a nonce of ${NONCE_FORM}`)
  if (!isTimestamp(timestamp)) throw invalid('a timestamp in whole seconds since 1970')
  const parameters: Parameter[] = []
  if (hash !== undefined) parameters.push(['oauth_body_hash', hash])
  parameters.push(
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', key.method],
    ['oauth_timestamp', timestamp],
  )
  if (options.token) parameters.push(['oauth_token', options.token.token])
  parameters.push(['oauth_version', '1.0'])
  return parameters
}

/** Puts the signature where its name belongs: before that of its method. */
function withSignature(
  parameters: readonly EncodedParameter[],
  signature: string,
): EncodedParameter[] {
  const at = parameters.findIndex((parameter) => parameter[0] === 'oauth_signature_method')
  const encoded = ['oauth_signature', percentEncode(signature)] as const
  return [...parameters.slice(0, at), encoded, ...parameters.slice(at)]
}

function invalid(expected: string): SigningError {
  return new SigningError('options', `expected ${expected}`)
}
