import { baseStringUrl, readQuery, splitUrl, urlText } from '../parameters/base-string.ts'
import { isForm, readForm } from '../parameters/form.ts'
import { parseAuthorization } from '../parameters/header.ts'
import { decodeParameter, type Parameter } from '../parameters/parameter.ts'
import { type ProtocolParameters, readProtocolParameters } from '../verify/protocol-parameters.ts'
import type { RequestToVerify } from '../verify/verifier.ts'

/** A request, split into everything that a caller could have signed. */
export interface Received {
  readonly method: string
  /** The URL as the base string holds it. */
  readonly url: string
  /** The query as it was sent. */
  readonly queryText: string
  readonly protocol: ProtocolParameters
  /** The parameters of the header without `oauth_signature`. */
  readonly header: readonly Parameter[]
  readonly realm?: string
  readonly query: readonly Parameter[]
  /** The parameters of the form; none if the body is not a form. */
  readonly form: readonly Parameter[]
  /** The `oauth_*` parameters that query and form repeat. */
  readonly repeated: readonly Parameter[]
  readonly isForm: boolean
  readonly body: string
  /** The host to which the caller sent the request, if it is known. */
  readonly host: string | undefined
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Splits a request whose parameters `verify` could gather. Throws a `SigningError` for any other. */
export function splitReceived(request: RequestToVerify, host: string | undefined): Received {
  const { parameters, ...rest } = parseAuthorization([request.authorization ?? ''].flat()[0] ?? '')
  const url = urlText(request.url)
  const query = readQuery(url).map(decodeParameter)
  const form = isForm(request.contentType) ? readForm(request.body).map(decodeParameter) : []
  return {
    ...rest,
    method: request.method.toUpperCase(),
    url: baseStringUrl(url),
    queryText: splitUrl(url).query ?? '',
    protocol: readProtocolParameters(parameters),
    header: parameters.filter(isSigned),
    query: query.filter(isOwn),
    form: form.filter(isOwn),
    repeated: [...query, ...form].filter((parameter) => !isOwn(parameter) && isSigned(parameter)),
    isForm: isForm(request.contentType),
    body: UTF8.decode(request.body),
    host,
  }
}

function isOwn([name]: Parameter): boolean {
  return !name.startsWith('oauth_')
}

function isSigned([name]: Parameter): boolean {
  return name !== 'oauth_signature'
}
