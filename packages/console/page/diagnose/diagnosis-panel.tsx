import type { Diagnosis, Mistake } from '@counterfoil/signing'
import { CopyButton } from '../shell/copy-button.tsx'
import { openSignature } from '../sign/to-sign.ts'
import { texts } from '../texts.ts'
import type { Examined } from './examine.ts'

/** Says which mistake a request has and how to mend it, and shows where the base strings differ. */
export function DiagnosisPanel({ request, signed, diagnosis }: Examined) {
  const { outcome, mistake, secondMistake, refused } = diagnosis
  const isOther = refused !== undefined && refused.code !== 'signature-mismatch'
  return (
    <section class="panel">
      <h2>{texts.diagnose.result}</h2>
      {mistake ? (
        <MistakeNote {...mistake} />
      ) : (
        <p class={`note ${outcome === 'correct' ? 'good' : 'warn'}`}>
          {outcome === 'mistake' ? '' : texts.diagnose.outcomes[outcome]}
        </p>
      )}
      {secondMistake && <MistakeNote {...secondMistake} />}
      {isOther && (
        <p>
          {texts.diagnose.reason} {refused.reason}
        </p>
      )}
      <BaseStrings {...diagnosis} />
      <div class="actions">
        <button type="button" onClick={() => openSignature(request, signed)}>
          {texts.diagnose.showSteps}
        </button>
      </div>
    </section>
  )
}

function MistakeNote({ sentence, fix, clause }: Mistake) {
  return (
    <div class="note bad">
      <strong>{sentence}</strong>
      <p>{fix}</p>
      <small>{clause}</small>
    </div>
  )
}

/** Both base strings, with the first character that differs marked. */
function BaseStrings({ baseString, signedBaseString, difference }: Diagnosis) {
  const { at, part, parameter } = difference ?? {}
  const shown = [
    [texts.diagnose.gatewayBaseString, baseString],
    [texts.diagnose.yourBaseString, difference && signedBaseString],
  ] as const
  return (
    <>
      {at !== undefined && (
        <p>
          {texts.diagnose.differs(at)}{' '}
          {parameter === undefined ? part && texts.diagnose.parts[part] : <code>{parameter}</code>}
        </p>
      )}
      {shown.map(([title, text]) => {
        if (text === undefined) return null
        return (
          <div class="base" key={title}>
            <header>
              <h3>{title}</h3>
              <CopyButton text={text} name={title} />
            </header>
            <pre>
              <bdi dir="ltr">
                {at === undefined ? text : text.slice(0, at - 1)}
                {at !== undefined && <mark>{text.charAt(at - 1) || texts.diagnose.end}</mark>}
                {at !== undefined && text.slice(at)}
              </bdi>
            </pre>
          </div>
        )
      })}
    </>
  )
}
