import { useSignalEffect } from '@preact/signals'
import { CopyButton } from '../shell/copy-button.tsx'
import { route } from '../shell/route.ts'
import { texts } from '../texts.ts'
import { begin, beginOnce, draft } from './draft-state.ts'
import { linkOf, readLink } from './link.ts'
import { ProgramsPanel } from './programs-panel.tsx'
import { RequestForm } from './request-form.tsx'
import { SendPanel } from './send-panel.tsx'
import './sign.css'
import { outcome, signAgain } from './signature.ts'
import { StepsPanel } from './steps-panel.tsx'

/** Shows every step of the signature of a request. The gateway takes no part in it. */
export function SignView() {
  useSignalEffect(() => {
    const linked = readLink(route.value.parameters)
    if (linked) begin(linked)
    else beginOnce()
  })
  useSignalEffect(signAgain)
  const { signature, fault } = outcome.value
  return (
    <div class="sign">
      <section class="panel">
        <header>
          <h1>{texts.sign.title}</h1>
          <CopyLink />
        </header>
        <p class="lead">{texts.sign.lead}</p>
        <RequestForm />
      </section>
      <div class="results">
        {fault instanceof Error && (
          <p class="note bad" role="status">
            {fault.message}
          </p>
        )}
        {outcome.value.signature === undefined && fault === undefined && (
          <p class="note warn">{texts.sign.missing}</p>
        )}
        {signature && <StepsPanel {...signature} />}
        {signature && <SendPanel {...signature} />}
        {signature && <ProgramsPanel {...signature} />}
      </div>
    </div>
  )
}

function CopyLink() {
  const link = linkOf(draft.value)
  if (link === undefined) return <small>{texts.sign.linkTooLong}</small>
  const address = location.origin + location.pathname + link
  return <CopyButton text={address} name={texts.sign.copyLink} isLong />
}
