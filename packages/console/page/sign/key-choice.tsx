import { computed, effect, signal } from '@preact/signals'
import { KeyField } from '../controls/key-field.tsx'
import { NO_KEY, type TypedKey } from '../controls/typed-key.ts'
import { session } from '../session/session.ts'

/** The key that the person typed into the signature view or the diagnosis. It stays in this page. */
const typed = signal<TypedKey | undefined>(undefined)

const sessionKey = computed<TypedKey | undefined>(() => {
  const { credentials } = session.value ?? {}
  if (!credentials) return undefined
  if ('controlKey' in credentials) return { kind: 'control', text: credentials.controlKey }
  if ('privateKey' in credentials) return { kind: 'private', text: credentials.privateKey }
  return undefined
})

/** The key to sign with: the typed one, or the session's. */
export const chosenKey = computed<TypedKey>(() => typed.value ?? sessionKey.value ?? NO_KEY)

// Whoever disconnects wants every key to be forgotten.
effect(() => {
  if (!session.value) typed.value = undefined
})

export function KeyChoice() {
  if (sessionKey.value && !typed.value) {
    return (
      <p class="with-button">
        The page uses the key that you connected with.{' '}
        <button
          type="button"
          class="link"
          onClick={() => (typed.value = { ...chosenKey.value, text: '' })}
        >
          Use another key
        </button>
      </p>
    )
  }
  return (
    <>
      <KeyField value={chosenKey.value} onInput={(key) => (typed.value = key)} />
      {sessionKey.value && (
        <button type="button" class="link" onClick={() => (typed.value = undefined)}>
          Use the key that I connected with
        </button>
      )}
    </>
  )
}
