import { encodeForm, isForm, parseForm } from '@counterfoil/signing'
import { computed, signal } from '@preact/signals'
import { gateway, session } from '../session/session.ts'
import { go, linkTo } from '../shell/route.ts'
import { chosenKey } from './key-choice.tsx'
import {
  BODY_KINDS,
  type Draft,
  HASHES,
  type PlainRequest,
  signDraft,
  type SignedDraft,
} from './sign-draft.ts'

/** The longest link, in characters: the fragment of an address that sets the request. */
const LINK_CHARACTERS_MAX = 16 * 1024

/** What the person, a link or another view has changed. */
const changes = signal<Partial<Draft>>({})

/** The request to sign. It begins as a report request of this gateway. */
export const draft = computed<Draft>(() => ({
  method: 'POST',
  url: gateway.value?.reportUrl ?? 'https://gate.example.com/ui/services/v2/rpt-engine',
  bodyKind: 'json',
  fields: [['', '']],
  text: '{"reportIdentifier":"transactions-list"}',
  contentType: 'text/plain',
  login: session.value?.catalogue.login ?? '',
  nonce: '',
  timestamp: '',
  realm: '',
  bodyHash: '',
  ...changes.value,
}))

/** Changes the request. */
export function change(fields: Partial<Draft>): void {
  changes.value = { ...changes.value, ...fields }
}

/** Begins the request of a link, or the first request, with a nonce and a timestamp of its own. */
export function beginFrom(parameters: URLSearchParams): void {
  const linked = readLink(parameters)
  if (linked) begin(linked)
  else if (changes.peek().nonce === undefined) begin(changes.peek())
}

/**
 * Opens the signature view with a request. The request stays in memory, whatever its size.
 *
 * @param signed what a signature of the request already has. The view makes up the rest.
 */
export function openSignature(
  { method, url, contentType = '', body }: PlainRequest,
  signed: Partial<Pick<Draft, 'login' | 'nonce' | 'timestamp'>> = {},
): void {
  // A form that is not well-formed stays a text, and the view says what is wrong with it.
  const fields = isForm(contentType) ? readFields(body ?? '') : undefined
  const isJson = /^application\/json\b/i.test(contentType)
  const kind = fields ? 'form' : isJson ? 'json' : 'raw'
  begin({
    method,
    url,
    ...(fields && { fields }),
    ...(body === undefined
      ? { bodyKind: 'none' }
      : { bodyKind: kind, text: body, ...(kind === 'raw' && { contentType }) }),
    ...signed,
  })
  go('sign')
}

export function freshNonce(): string {
  return crypto.randomUUID()
}

export function freshTimestamp(): string {
  return String(Math.floor(Date.now() / 1000))
}

function begin(fields: Partial<Draft>): void {
  changes.value = { nonce: freshNonce(), timestamp: freshTimestamp(), ...fields }
}

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

/** Returns the link to a request: everything but the key. Undefined if it would be too long. */
export function linkOf(request: Draft): string | undefined {
  const { bodyKind, fields, bodyHash } = request
  // An empty text of a body is a choice. Anything else that is empty is left to the reader of the link.
  const names = TEXTS.filter((name) => name === 'text' || request[name] !== '')
  const parameters = new URLSearchParams(names.map((name) => [name, request[name]]))
  parameters.set('body', bodyKind)
  if (bodyKind === 'form') parameters.set('form', encodeForm(fields))
  if (bodyKind === 'none' || bodyKind === 'form') parameters.delete('text')
  if (bodyHash !== '') parameters.set('hash', bodyHash)
  const link = linkTo('sign', parameters)
  return link.length > LINK_CHARACTERS_MAX ? undefined : link
}

/**
 * Reads the request of a link, which anybody may have written. Its values only fill the form: nothing is sent before
 * the person sends it. Returns undefined for a link without a request, and for one that is too long.
 */
function readLink(parameters: URLSearchParams): Partial<Draft> | undefined {
  if (parameters.size === 0 || parameters.toString().length > LINK_CHARACTERS_MAX) return undefined
  const values = TEXTS.flatMap((name) => {
    const value = parameters.get(name)
    return value === null ? [] : [[name, value]]
  })
  const [bodyKind] = BODY_KINDS.find(([kind]) => kind === parameters.get('body')) ?? []
  const bodyHash = HASHES.find((hash) => hash === parameters.get('hash'))
  return {
    ...Object.fromEntries(values),
    ...(bodyKind && { bodyKind }),
    ...(bodyHash && { bodyHash }),
    ...(parameters.has('form') && { fields: readFields(parameters.get('form') ?? '') ?? [] }),
  }
}

/** Reads the fields of a form. Undefined if it is not well-formed. */
function readFields(text: string): Draft['fields'] | undefined {
  try {
    return parseForm(text)
  } catch {
    return undefined
  }
}

/** The signature of the draft and the key as they are now, or why there is none. Neither without a login or a key. */
export const outcome = signal<{ readonly signature?: SignedDraft; readonly fault?: unknown }>({})

let latest = 0

/** Signs the draft. Of several runs, the last one wins. As an effect, it runs again after each change. */
export function signAgain(): void {
  const run = (latest += 1)
  const show = (result: typeof outcome.value) => {
    if (run === latest) outcome.value = result
  }
  const [request, key] = [draft.value, chosenKey.value]
  if (request.login === '' || key.text.trim() === '') {
    show({})
    return
  }
  void signDraft(request, key).then(
    (signature) => show({ signature }),
    (fault: unknown) => show({ fault }),
  )
}
