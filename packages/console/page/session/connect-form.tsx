import { CounterfoilError, type Credentials } from '@counterfoil/client'
import { useSignal } from '@preact/signals'
import { ErrorNote } from '../shell/error-note.tsx'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { texts } from '../texts.ts'
import { gateway } from './gateway.ts'
import { connect } from './session.ts'

/** Asks for a login and its key, and connects with them. */
export function ConnectForm() {
  const kind = useSignal<'control' | 'private'>('control')
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!gateway.value || !(event.currentTarget instanceof HTMLFormElement)) return
    const fields = new FormData(event.currentTarget)
    isBusy.value = true
    fault.value = undefined
    try {
      await connect(gateway.value, readCredentials(fields), fields.has('keep'))
    } catch (error) {
      fault.value = error
    } finally {
      isBusy.value = false
    }
  }

  return (
    <form class="panel connect" onSubmit={submit} autocomplete="off">
      <h1>{texts.connect.title}</h1>
      <p class="lead">{texts.connect.lead}</p>
      <label class="field">
        <span>{texts.connect.login}</span>
        <input name="login" required autocomplete="off" autocapitalize="none" spellcheck={false} />
      </label>
      <RadioChoice
        legend={texts.connect.keyKind}
        options={['control', 'private']}
        chosen={kind.value}
        onChoose={(value) => (kind.value = value)}
        labelOf={(value) => texts.connect.kinds[value]}
      />
      {kind.value === 'control' ? <ControlKeyField /> : <PrivateKeyField />}
      <label class="check">
        <input type="checkbox" name="keep" />
        {texts.connect.keep}
      </label>
      <button type="submit" class="primary" disabled={isBusy.value}>
        {isBusy.value ? texts.connect.connecting : texts.connect.connect}
      </button>
      {fault.value !== undefined && <ConnectFault error={fault.value} />}
    </form>
  )
}

/** Says first what a person can check, and only then what the gateway says to programs. */
function ConnectFault({ error }: { readonly error: unknown }) {
  if (!(error instanceof CounterfoilError) || error.code !== 'not-authorised') {
    return <ErrorNote error={error} />
  }
  return (
    <div class="note bad" role="alert">
      <strong>{texts.connect.refused}</strong>
      <p>{texts.connect.refusedAdvice}</p>
      <details>
        <summary>{texts.connect.refusal}</summary>
        <pre>{error.refusal ?? error.message}</pre>
      </details>
    </div>
  )
}

function ControlKeyField() {
  return (
    <label class="field">
      <span>{texts.connect.controlKey}</span>
      <input name="key" type="password" required autocomplete="off" />
    </label>
  )
}

function PrivateKeyField() {
  return (
    <label class="field">
      <span>{texts.connect.privateKey}</span>
      <textarea
        name="key"
        class="code"
        rows={6}
        required
        autocomplete="off"
        spellcheck={false}
        placeholder="-----BEGIN RSA PRIVATE KEY-----"
      />
      <small>{texts.connect.privateKeyHint}</small>
    </label>
  )
}

/** People paste keys with line ends and spaces around them. */
function readCredentials(fields: FormData): Credentials {
  const [login = '', key = ''] = ['login', 'key'].map((name) => textOf(fields.get(name)).trim())
  return key.startsWith('-----BEGIN') ? { login, privateKey: key } : { login, controlKey: key }
}

function textOf(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value : ''
}
