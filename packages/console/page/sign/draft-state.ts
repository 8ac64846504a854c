import { computed, signal } from '@preact/signals'
import { gateway } from '../session/gateway.ts'
import { session } from '../session/session.ts'
import type { Draft } from './draft.ts'

const EXAMPLE_URL = 'https://gate.example.com/ui/services/v2/rpt-engine'

/** What the person, a link or another view has changed. */
const changes = signal<Partial<Draft>>({})

/** The request to sign. It begins as a report request of this gateway. */
export const draft = computed<Draft>(() => ({
  method: 'POST',
  url: gateway.value?.reportUrl ?? EXAMPLE_URL,
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

/** Begins another request, with a nonce and a timestamp of its own. */
export function begin(fields: Partial<Draft>): void {
  changes.value = { nonce: freshNonce(), timestamp: freshTimestamp(), ...fields }
}

/** Gives the first request a nonce and a timestamp when the view opens. */
export function beginOnce(): void {
  if (changes.peek().nonce === undefined) begin(changes.peek())
}

export function freshNonce(): string {
  return crypto.randomUUID()
}

export function freshTimestamp(): string {
  return String(Math.floor(Date.now() / 1000))
}
