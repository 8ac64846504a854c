import { computed, effect, signal } from '@preact/signals'
import { session } from '../session/session.ts'
import type { TypedKey } from './typed-key.ts'

/** The key that the person typed into the signature view or the diagnosis. It stays in this page. */
const typed = signal<TypedKey | undefined>(undefined)

/** The key with which the person connected. A view session has none. */
export const sessionKey = computed<TypedKey | undefined>(() => {
  const credentials = session.value?.credentials
  if (!credentials) return undefined
  if ('controlKey' in credentials) return { kind: 'control', text: credentials.controlKey }
  if ('privateKey' in credentials) return { kind: 'private', text: credentials.privateKey }
  return undefined
})

/** Whether the session's key signs. */
export const isSessionKey = computed(() => sessionKey.value !== undefined && !typed.value)

/** The key to sign with: the typed one, or the session's. */
export const typedKey = computed<TypedKey>(() => {
  return typed.value ?? sessionKey.value ?? { kind: 'control', text: '' }
})

/** Takes another key. Undefined stands for the session's. */
export function typeKey(key: TypedKey | undefined): void {
  typed.value = key
}

// Whoever disconnects wants every key to be forgotten.
effect(() => {
  if (!session.value) typed.value = undefined
})
