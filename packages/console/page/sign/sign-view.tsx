import { useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CopyButton } from '../controls/copy-button.tsx'
import { beginFirst, outcome, signAgain } from './draft.ts'
import { CONTROL_KEY, curlProgram, PRIVATE_KEY_FILE } from './curl-program.ts'
import { RequestForm } from './request-form.tsx'
import type { SignedDraft } from './sign-draft.ts'
import { StepsPanel } from './steps-panel.tsx'

/** Shows every step of the signature of a request. The gateway takes no part in it. */
export function SignView() {
  useEffect(beginFirst, [])
  useSignalEffect(signAgain)
  const { signature, fault } = outcome.value
  return (
    <div class="sides">
      <section class="panel">
        <h1>Signature</h1>
        <p class="lead">
          See how any request is signed, step by step. This page computes every value itself, and
          the key never leaves it.
        </p>
        <RequestForm />
      </section>
      <div class="results">
        {fault instanceof Error && (
          <p class="note bad" role="status">
            {fault.message}
          </p>
        )}
        {!signature && !fault && <p class="note warn">Type a login and a key to see the steps.</p>}
        {signature && <StepsPanel {...signature} />}
        {signature && <ProgramPanel {...signature} />}
      </div>
    </div>
  )
}

/** Shows the request as a program of a person's own, which signs afresh with each run. */
function ProgramPanel({ request, signed }: SignedDraft) {
  const { source, isRsa } = curlProgram(request, signed)
  return (
    <section class="panel">
      <header>
        <h2>Copy as a program</h2>
        <CopyButton text={source} name="Copy the program" isLong />
      </header>
      <p>
        The program for bash, curl and openssl signs afresh with each run. It reads{' '}
        {isRsa
          ? 'the private key from the file that this variable names:'
          : 'the control key from the variable'}{' '}
        <code>{isRsa ? PRIVATE_KEY_FILE : CONTROL_KEY}</code>
      </p>
      <pre class="program" tabIndex={0} role="region" aria-label="Copy as a program">
        {source}
      </pre>
    </section>
  )
}
