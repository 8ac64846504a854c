import { encodeForm, parseForm } from '@counterfoil/signing'
import { linkTo } from '../shell/route.ts'
import { BODY_KINDS, type Draft } from './draft.ts'
import { LINK_CHARACTERS_MAX } from './limits.ts'

const TEXTS = [
  'method',
  'url',
  'text',
  'contentType',
  'login',
  'nonce',
  'timestamp',
  'realm',
] as const
const HASHES = ['', 'SHA-1', 'SHA-256'] as const

/** Returns the link to a request: everything but the key. Undefined if it would be too long. */
export function linkOf(draft: Draft): string | undefined {
  const { bodyKind, fields, bodyHash } = draft
  const parameters = new URLSearchParams(
    TEXTS.filter((name) => name === 'text' || draft[name] !== '').map((name) => [
      name,
      draft[name],
    ]),
  )
  parameters.set('body', bodyKind)
  if (bodyKind === 'form') parameters.set('form', encodeForm(fields))
  if (bodyKind === 'none' || bodyKind === 'form') parameters.delete('text')
  if (bodyKind !== 'raw') parameters.delete('contentType')
  if (bodyHash !== '') parameters.set('hash', bodyHash)
  const link = linkTo('sign', parameters)
  return link.length > LINK_CHARACTERS_MAX ? undefined : link
}

/**
 * Reads the request of a link, which anybody may have written. Its values only fill the form: nothing is sent before
 * the person sends it. Returns undefined for a link without a request, and for one that is too long.
 */
export function readLink(parameters: URLSearchParams): Partial<Draft> | undefined {
  if (parameters.size === 0 || parameters.toString().length > LINK_CHARACTERS_MAX) return undefined
  const values = TEXTS.flatMap((name) => {
    const value = parameters.get(name)
    return value === null ? [] : [[name, value]]
  })
  const bodyKind = BODY_KINDS.find((kind) => kind === parameters.get('body'))
  const bodyHash = HASHES.find((hash) => hash === parameters.get('hash'))
  return {
    ...Object.fromEntries(values),
    ...(bodyKind && { bodyKind }),
    ...(bodyHash && { bodyHash }),
    ...(parameters.has('form') && { fields: readFields(parameters.get('form') ?? '') }),
  }
}

/** A form that nobody can read is no form. */
function readFields(text: string): Draft['fields'] {
  try {
    return parseForm(text)
  } catch {
    return []
  }
}
