import { RadioChoice, SelectField, TextField } from '../controls/fields.tsx'
import { change, draft, freshNonce, freshTimestamp } from './draft.ts'
import { KeyChoice } from './key-choice.tsx'
import { BODY_KINDS, type Draft, HASHES } from './sign-draft.ts'

export function RequestForm() {
  const { bodyKind, bodyHash } = draft.value
  return (
    <form class="stack" onSubmit={(event) => event.preventDefault()}>
      <div class="target">
        <DraftField name="method" label="Method" />
        <DraftField name="url" label="URL" />
      </div>
      <RadioChoice
        legend="Body"
        options={BODY_KINDS}
        chosen={bodyKind}
        onChoose={(kind) => change({ bodyKind: kind })}
      />
      {bodyKind === 'form' && <FormFields />}
      {bodyKind === 'raw' && <DraftField name="contentType" label="Content-Type" />}
      {(bodyKind === 'json' || bodyKind === 'raw') && (
        <DraftField name="text" label="Text of the body" rows={4} />
      )}
      {bodyKind !== 'none' && (
        <small>
          The signature covers the fields of a form. It covers no other body, unless you sign its
          hash.
        </small>
      )}
      <DraftField name="login" label="Login" />
      <KeyChoice />
      <div class="fields">
        <DraftField name="nonce" label="Nonce" renew={freshNonce} />
        <DraftField name="timestamp" label="Timestamp" renew={freshTimestamp} />
        <DraftField name="realm" label="Realm" />
        <SelectField
          label="Hash of the body"
          value={bodyHash}
          disabled={bodyKind === 'form'}
          options={HASHES.map((hash) => [hash, hash || 'Not signed'])}
          onChoose={(value) => change({ bodyHash: HASHES.find((hash) => hash === value) ?? '' })}
        />
      </div>
    </form>
  )
}

interface DraftFieldProps {
  readonly name: Exclude<keyof Draft, 'bodyKind' | 'fields' | 'bodyHash'>
  readonly label: string
  readonly rows?: number
  readonly renew?: () => string
}

function DraftField({ name, label, rows, renew }: DraftFieldProps) {
  return (
    <TextField
      label={label}
      {...(rows !== undefined && { rows })}
      isCode={name !== 'login'}
      value={draft.value[name]}
      onInput={(text) => change({ [name]: text })}
      beside={
        renew && (
          <button type="button" onClick={() => change({ [name]: renew() })}>
            New<span class="hidden"> {label}</span>
          </button>
        )
      }
    />
  )
}

function FormFields() {
  const { fields } = draft.value
  const set = (at: number, field: Draft['fields'][number]) =>
    change({ fields: fields.with(at, field) })
  const inputOf = (label: string, at: number, value: string, onInput: (text: string) => void) => (
    <input
      class="code"
      aria-label={`${label} ${at + 1}`}
      placeholder={label}
      spellcheck={false}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  )
  return (
    <fieldset class="pairs">
      <legend>Form fields</legend>
      {fields.map(([name, value], at) => (
        <div class="with-button" key={at}>
          {inputOf('Name', at, name, (text) => set(at, [text, value]))}
          {inputOf('Value', at, value, (text) => set(at, [name, text]))}
          <button
            type="button"
            aria-label={`Remove field ${at + 1}`}
            onClick={() => change({ fields: fields.toSpliced(at, 1) })}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" onClick={() => change({ fields: [...fields, ['', '']] })}>
        Add a field
      </button>
    </fieldset>
  )
}
