import { isForm } from '@counterfoil/signing'
import { GatewayError } from '../errors.ts'

/** What a path takes as its body. */
export type BodyKind = 'json' | 'form'

const EXPECTED: Readonly<Record<BodyKind, string>> = {
  json: 'application/json, in UTF-8',
  form: 'application/x-www-form-urlencoded',
}

/** @throws `unsupported-media-type` for a body of another kind, or one that is compressed */
export function checkMediaType(
  kind: BodyKind,
  { contentType, contentEncoding = 'identity' }: BodyHeaders,
): void {
  if (contentEncoding !== 'identity') {
    const message = 'expected a body without Content-Encoding'
    throw new GatewayError('unsupported-media-type', message)
  }
  if (kind === 'json' ? isJson(contentType) : isForm(contentType)) return
  const got = contentType === undefined ? 'none' : 'another'
  const message = `expected Content-Type: ${EXPECTED[kind]}; got ${got}`
  throw new GatewayError('unsupported-media-type', message)
}

interface BodyHeaders {
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
}

function isJson(contentType: string | undefined): boolean {
  const [mediaType = '', ...rest] = (contentType ?? '').toLowerCase().split(';')
  const charset = rest.map((part) => part.trim()).find((part) => part.startsWith('charset='))
  const inUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  return mediaType.trim() === 'application/json' && inUtf8
}
