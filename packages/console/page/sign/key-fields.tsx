import { RadioChoice } from '../shell/radio-choice.tsx'
import { texts } from '../texts.ts'
import { isSessionKey, sessionKey, typedKey, typeKey } from './key-state.ts'

const KINDS = ['control', 'private'] as const

/** The key that signs: the session's, or one that the person types here. */
export function KeyFields() {
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
      <RadioChoice
        legend={texts.connect.keyKind}
        options={KINDS}
        chosen={kind}
        onChoose={(value) => typeKey({ kind: value, text: '' })}
        labelOf={(value) => texts.connect.kinds[value]}
      />
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
