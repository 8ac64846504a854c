import { useId } from 'preact/hooks'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { texts } from '../texts.ts'
import { change, draft, freshNonce, freshTimestamp } from './draft-state.ts'
import { BODY_KINDS, type Draft } from './draft.ts'
import { KeyFields } from './key-fields.tsx'

const HASHES = ['', 'SHA-1', 'SHA-256'] as const

/** The fields of a request to sign. */
export function RequestForm() {
  const { bodyKind, bodyHash } = draft.value
  return (
    <form class="request" onSubmit={(event) => event.preventDefault()} autocomplete="off">
      <div class="target">
        <TextField name="method" />
        <TextField name="url" />
      </div>
      <RadioChoice
        legend={texts.sign.body}
        options={BODY_KINDS}
        chosen={bodyKind}
        onChoose={(kind) => change({ bodyKind: kind })}
        labelOf={(kind) => texts.sign.bodyKinds[kind]}
      />
      {bodyKind === 'form' && <FormFields />}
      {bodyKind === 'raw' && <TextField name="contentType" />}
      {(bodyKind === 'json' || bodyKind === 'raw') && (
        <label class="field">
          <span>{texts.sign.text}</span>
          <textarea
            class="code"
            rows={4}
            spellcheck={false}
            value={draft.value.text}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        </label>
      )}
      {bodyKind !== 'none' && <small>{texts.sign.bodyHint}</small>}
      <TextField name="login" />
      <KeyFields />
      <div class="fields">
        <TextField name="nonce" fresh={freshNonce} />
        <TextField name="timestamp" fresh={freshTimestamp} />
        <TextField name="realm" />
        <label class="field">
          <span>{texts.sign.bodyHash}</span>
          <select
            value={bodyHash}
            disabled={bodyKind === 'form'}
            onChange={({ currentTarget: { value } }) => {
              change({ bodyHash: HASHES.find((hash) => hash === value) ?? '' })
            }}
          >
            {HASHES.map((hash) => (
              <option key={hash} value={hash}>
                {hash || texts.sign.noHash}
              </option>
            ))}
          </select>
        </label>
      </div>
    </form>
  )
}

interface TextFieldProps {
  readonly name: 'method' | 'url' | 'contentType' | 'login' | 'nonce' | 'timestamp' | 'realm'
  /** Makes a new value. */
  readonly fresh?: () => string
}

function TextField({ name, fresh }: TextFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{texts.sign.fields[name]}</label>
      <span class="with-button">
        <input
          id={id}
          class={name === 'login' ? '' : 'code'}
          autocapitalize="none"
          spellcheck={false}
          value={draft.value[name]}
          onInput={(event) => change({ [name]: event.currentTarget.value })}
        />
        {fresh && (
          <button type="button" onClick={() => change({ [name]: fresh() })}>
            {texts.sign.fresh}
            <span class="hidden"> {texts.sign.fields[name]}</span>
          </button>
        )}
      </span>
    </div>
  )
}

function FormFields() {
  const { fields } = draft.value
  const set = (at: number, field: Draft['fields'][number]) => {
    change({ fields: fields.map((before, index) => (index === at ? field : before)) })
  }
  return (
    <fieldset class="pairs">
      <legend>{texts.sign.bodyKinds.form}</legend>
      {fields.map(([name, value], at) => (
        <div class="pair" key={at}>
          <input
            class="code"
            aria-label={`${texts.sign.name} ${at + 1}`}
            placeholder={texts.sign.name}
            spellcheck={false}
            value={name}
            onInput={(event) => set(at, [event.currentTarget.value, value])}
          />
          <input
            class="code"
            aria-label={`${texts.sign.value} ${at + 1}`}
            placeholder={texts.sign.value}
            spellcheck={false}
            value={value}
            onInput={(event) => set(at, [name, event.currentTarget.value])}
          />
          <button
            type="button"
            aria-label={`${texts.sign.remove} ${at + 1}`}
            onClick={() => change({ fields: fields.filter((_, index) => index !== at) })}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" onClick={() => change({ fields: [...fields, ['', '']] })}>
        {texts.sign.add}
      </button>
    </fieldset>
  )
}
