import { isForm, parseForm } from '@counterfoil/signing'
import { go } from '../shell/route.ts'
import { begin } from './draft-state.ts'
import type { Draft } from './draft.ts'
import type { PlainRequest } from './request-of.ts'

/** Opens the signature view with a request. The request stays in memory, whatever its size. */
export function openSignature({ method, url, ...request }: PlainRequest): void {
  begin({ method, url, ...bodyOf(request) })
  go('sign')
}

/** Returns the fields of a draft that hold a body. */
export function bodyOf({
  contentType,
  body,
}: Omit<PlainRequest, 'method' | 'url'>): Partial<Draft> {
  if (body === undefined) return { bodyKind: 'none' }
  if (isForm(contentType)) return { bodyKind: 'form', fields: parseForm(body) }
  const isJson = /^application\/json\b/i.test(contentType ?? '')
  if (isJson) return { bodyKind: 'json', text: body }
  return { bodyKind: 'raw', text: body, contentType: contentType ?? '' }
}
