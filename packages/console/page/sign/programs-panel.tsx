import { useSignal } from '@preact/signals'
import { CopyButton } from '../shell/copy-button.tsx'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { texts } from '../texts.ts'
import { CONTROL_KEY, LANGUAGES, PRIVATE_KEY_FILE } from './programs/languages.ts'
import { toSend } from './programs/to-send.ts'
import type { SignedDraft } from './sign-draft.ts'

/** Shows the request as a program of a person's own, which signs afresh with each run. */
export function ProgramsPanel({ request, signed }: SignedDraft) {
  const chosen = useSignal('curl')
  const sent = toSend(request, signed)
  const { isRsa } = sent
  const language = LANGUAGES.find(({ title }) => title === chosen.value)
  const source = language?.write(sent) ?? ''
  return (
    <section class="panel">
      <header>
        <h2>{texts.sign.programs}</h2>
        <CopyButton text={source} name={texts.sign.copyProgram} isLong />
      </header>
      <RadioChoice
        legend={texts.sign.language}
        options={LANGUAGES.map(({ title }) => title)}
        chosen={chosen.value}
        onChoose={(title) => (chosen.value = title)}
      />
      <p>
        {isRsa ? texts.sign.privateKeyVariable : texts.sign.controlKeyVariable}{' '}
        <code>{isRsa ? PRIVATE_KEY_FILE : CONTROL_KEY}</code>
      </p>
      <pre class="program" tabIndex={0} role="region" aria-label={texts.sign.programs}>
        {source}
      </pre>
    </section>
  )
}
