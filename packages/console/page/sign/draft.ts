import { isForm, parseForm } from '@counterfoil/signing'
import { computed, signal } from '@preact/signals'
import { gateway, session } from '../session/session.ts'
import { go } from '../shell/route.ts'
import { chosenKey } from './key-choice.tsx'
import { type Draft, type PlainRequest, signDraft, type SignedDraft } from './sign-draft.ts'

/** What the person or another view has changed. */
const changes = signal<Partial<Draft>>({})

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

export function change(fields: Partial<Draft>): void {
  changes.value = { ...changes.value, ...fields }
}

export function beginFirst(): void {
  if (changes.peek().nonce === undefined) begin({})
}

/** Opens the signature view with a request. `signed` is what a signature of the request already has. */
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
  if (request.login === '' || key.text.trim() === '') return show({})
  void signDraft(request, key).then(
    (signature) => show({ signature }),
    (fault: unknown) => show({ fault }),
  )
}
