import { CounterfoilError } from '@counterfoil/client'
import { useSignal } from '@preact/signals'
import { ErrorNote, Note } from '../controls/error-note.tsx'
import { TextField } from '../controls/fields.tsx'
import { KeyField } from '../controls/key-field.tsx'
import { NO_KEY } from '../controls/typed-key.ts'
import { useAction } from '../controls/use-action.ts'
import { connect } from './session.ts'

export function ConnectForm() {
  const login = useSignal('')
  const key = useSignal(NO_KEY)
  const keep = useSignal(false)
  const { isBusy, fault, run } = useAction()

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const { kind, text } = key.value
    const secret = kind === 'control' ? { controlKey: text.trim() } : { privateKey: text.trim() }
    return run(() => connect({ login: login.value.trim(), ...secret }, keep.value))
  }

  return (
    <form class="panel connect" onSubmit={submit}>
      <h1>Connect</h1>
      <p class="lead">
        Sign in with the login and the key that the operator gave you. This page signs your requests
        itself, and never sends the key.
      </p>
      <TextField
        label="Login"
        required
        value={login.value}
        onInput={(text) => (login.value = text)}
      />
      <KeyField value={key.value} onInput={(typed) => (key.value = typed)} />
      <label>
        <input
          type="checkbox"
          checked={keep.value}
          onChange={(event) => (keep.value = event.currentTarget.checked)}
        />
        Remember the key until I close this tab
      </label>
      <button type="submit" class="primary" disabled={isBusy || key.value.text === ''}>
        {isBusy ? 'Connecting …' : 'Connect'}
      </button>
      <ConnectFault error={fault} />
    </form>
  )
}

/** Says first what a person can check, and only then what the gateway says to programs. */
function ConnectFault({ error }: { readonly error: unknown }) {
  if (!(error instanceof CounterfoilError) || error.code !== 'not-authorised') {
    return <ErrorNote error={error} />
  }
  return (
    <Note title="The gateway refused this login and key.">
      <p>
        Check that both are complete and belong together, and that they are for this environment.
        Check the clock of this computer too.
      </p>
      <details>
        <summary>What the gateway says</summary>
        <pre>{error.refusal ?? error.message}</pre>
      </details>
    </Note>
  )
}
