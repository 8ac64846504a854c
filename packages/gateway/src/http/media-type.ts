import { holdsCardNumber } from '@counterfoil/protocol'
import { isForm } from '@counterfoil/signing'
import { GatewayError } from '@counterfoil/common'

/** The kind of body that a path accepts. */
export type BodyKind = 'json' | 'form'

const JSON_TYPE = 'application/json'
const CHARSET = 'charset='

/** Tokens (RFC 9110, 5.6.2). The lengths limit what an error shows. */
const MEDIA_TYPE = /^(?=.{3,100}$)[!#$%&'*+.^_`|~\dA-Za-z-]+\/[!#$%&'*+.^_`|~\dA-Za-z-]+$/
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]{1,40}$/

const EXPECTED: Readonly<Record<BodyKind, string>> = {
  json: 'application/json, in UTF-8',
  form: 'application/x-www-form-urlencoded',
}

/**
 * Checks that a body has the kind that its path accepts.
 * @returns `unsupported-media-type` for a body of another kind, or with a `Content-Encoding`
 */
export function mediaTypeFault(
  kind: BodyKind,
  { contentType, contentEncoding = 'identity' }: BodyHeaders,
): GatewayError | undefined {
  if (contentEncoding !== 'identity') {
    const got = isHarmless(TOKEN, contentEncoding) ? contentEncoding : 'a malformed one'
    const message = `expected a body without Content-Encoding; got ${got}`
    return new GatewayError('unsupported-media-type', message)
  }
  if (kind === 'json' ? isJson(contentType) : isForm(contentType)) return undefined
  const message = `expected Content-Type: ${EXPECTED[kind]}; got ${showContentType(kind, contentType)}`
  return new GatewayError('unsupported-media-type', message)
}

interface BodyHeaders {
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
}

function isJson(contentType: string | undefined): boolean {
  const { mediaType, charset } = splitContentType(contentType ?? '')
  const inUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  return mediaType === JSON_TYPE && inUtf8
}

function splitContentType(contentType: string): {
  readonly mediaType: string
  readonly charset: string | undefined
} {
  const [mediaType = '', ...rest] = contentType.toLowerCase().split(';')
  const charset = rest.map((part) => part.trim()).find((part) => part.startsWith(CHARSET))
  return { mediaType: mediaType.trim(), charset: charset?.slice(CHARSET.length) }
}

/** Returns the part of a Content-Type that an error names: the media type, or the charset if only that is wrong. */
function showContentType(kind: BodyKind, contentType: string | undefined): string {
  if (contentType === undefined) return 'none'
  const { mediaType, charset } = splitContentType(contentType)
  const isCharsetWrong = kind === 'json' && mediaType === JSON_TYPE && charset !== undefined
  if (!isCharsetWrong) return isHarmless(MEDIA_TYPE, mediaType) ? mediaType : 'a malformed one'
  const name = charset.replaceAll('"', '')
  return isHarmless(TOKEN, name) ? `the charset ${name}` : 'a malformed charset'
}

/** Whether an error may show a text: it has the form, and holds no card number. */
function isHarmless(form: RegExp, text: string): boolean {
  return form.test(text) && !holdsCardNumber(text)
}
