import { isForm, parseForm } from '@counterfoil/signing'
import { go } from '../shell/route.ts'
import { begin } from './draft-state.ts'
import type { Draft } from './draft.ts'
import type { PlainRequest } from './request-of.ts'

/**
 * Opens the signature view with a request. The request stays in memory, whatever its size.
 *
 * @param signed what a signature of the request already has. The view makes up the rest.
 */
export function openSignature(
  { method, url, ...request }: PlainRequest,
  signed: Partial<Pick<Draft, 'login' | 'nonce' | 'timestamp'>> = {},
): void {
  begin({ method, url, ...bodyOf(request), ...signed })
  go('sign')
}

/** Returns the fields of a draft that hold a body. */
function bodyOf({ contentType, body }: Omit<PlainRequest, 'method' | 'url'>): Partial<Draft> {
  if (body === undefined) return { bodyKind: 'none' }
  const fields = isForm(contentType) ? readFields(body) : undefined
  if (fields) return { bodyKind: 'form', fields }
  const isJson = /^application\/json\b/i.test(contentType ?? '')
  if (isJson) return { bodyKind: 'json', text: body }
  return { bodyKind: 'raw', text: body, contentType: contentType ?? '' }
}

/** A form that is not well-formed stays a text, and the view says what is wrong with it. */
function readFields(body: string): Draft['fields'] | undefined {
  try {
    return parseForm(body)
  } catch {
    return undefined
  }
}
