import { useId } from 'preact/hooks'
import { texts } from '../texts.ts'
import { isSessionKey, sessionKey, typedKey, typeKey } from './key-state.ts'

const KINDS = ['control', 'private'] as const

/** The key that signs: the session's, or one that the person types here. */
export function KeyFields() {
  const group = useId()
  const { kind, text } = typedKey.value
  if (isSessionKey.value) {
    return (
      <p class="session-key">
        {texts.sign.sessionKey}{' '}
        <button type="button" class="link" onClick={() => typeKey({ kind, text: '' })}>
          {texts.sign.otherKey}
        </button>
      </p>
    )
  }
  return (
    <>
      <fieldset class="choice">
        <legend>{texts.connect.keyKind}</legend>
        {KINDS.map((value) => (
          <label key={value}>
            <input
              type="radio"
              name={group}
              checked={kind === value}
              onChange={() => typeKey({ kind: value, text: '' })}
            />
            {texts.connect.kinds[value]}
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>{kind === 'control' ? texts.connect.controlKey : texts.connect.privateKey}</span>
        {kind === 'control' ? (
          <input
            type="password"
            autocomplete="off"
            value={text}
            onInput={(event) => typeKey({ kind, text: event.currentTarget.value })}
          />
        ) : (
          <textarea
            class="code"
            rows={5}
            autocomplete="off"
            spellcheck={false}
            placeholder="-----BEGIN RSA PRIVATE KEY-----"
            value={text}
            onInput={(event) => typeKey({ kind, text: event.currentTarget.value })}
          />
        )}
      </label>
      <small>{kind === 'control' ? texts.sign.keyStays : texts.connect.privateKeyHint}</small>
      {sessionKey.value && (
        <button type="button" class="link" onClick={() => typeKey(undefined)}>
          {texts.sign.useSessionKey}
        </button>
      )}
    </>
  )
}
