import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { gateway } from '../session/gateway.ts'
import { KeyFields } from '../sign/key-fields.tsx'
import { typedKey } from '../sign/key-state.ts'
import { texts } from '../texts.ts'
import { DiagnosisPanel } from './diagnosis-panel.tsx'
import './diagnose.css'
import { type Examined, examine, type Refusal } from './examine.ts'

const EMPTY = { pasted: '', method: '', url: '', contentType: '', body: '', baseString: '' }

type Field = keyof typeof EMPTY

interface Result {
  readonly examined?: Examined
  readonly fault?: unknown
}

/** Names the mistake in a refused request. The page examines it itself, and sends nothing. */
export function DiagnoseView() {
  const refusal = useSignal<Omit<Refusal, 'key'>>(EMPTY)
  const result = useSignal<Result>({})
  const usualUrl = gateway.value?.reportUrl ?? ''
  const isReady = typedKey.value.text.trim() !== '' || refusal.value.baseString !== ''

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    try {
      result.value = {
        examined: await examine({ ...refusal.value, key: typedKey.value }, usualUrl),
      }
    } catch (fault) {
      result.value = { fault }
    }
  }
  const input = (name: Field) => ({
    value: refusal.value[name],
    autocapitalize: 'none' as const,
    spellcheck: false,
    class: 'code',
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      refusal.value = { ...refusal.value, [name]: currentTarget.value }
    },
  })
  return (
    <div class="diagnose">
      <form class="panel" onSubmit={submit} autocomplete="off">
        <h1>{texts.diagnose.title}</h1>
        <p class="lead">{texts.diagnose.lead}</p>
        <label class="field">
          <span>{texts.diagnose.pasted}</span>
          <textarea rows={5} required placeholder={texts.diagnose.example} {...input('pasted')} />
        </label>
        <KeyFields />
        <details>
          <summary>{texts.diagnose.more}</summary>
          <div class="more">
            <p class="quiet">{texts.diagnose.moreHint}</p>
            {(['method', 'url', 'contentType'] as const).map((name) => (
              <label class="field" key={name}>
                <span>{texts.sign.fields[name]}</span>
                <input placeholder={name === 'url' ? usualUrl : ''} {...input(name)} />
              </label>
            ))}
            <label class="field">
              <span>{texts.sign.body}</span>
              <textarea rows={3} {...input('body')} />
            </label>
          </div>
        </details>
        <label class="field">
          <span>{texts.diagnose.baseString}</span>
          <textarea rows={3} {...input('baseString')} />
        </label>
        <div class="actions">
          <button type="submit" class="primary" disabled={!isReady}>
            {texts.diagnose.examine}
          </button>
          {!isReady && <small>{texts.diagnose.needsKey}</small>}
        </div>
      </form>
      <ResultPanel {...result.value} />
    </div>
  )
}

/** The diagnosis, or why there is none. */
function ResultPanel({ examined, fault }: Result) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a narrow screen the result is below the form.
    if (examined || fault) panel.current?.scrollIntoView({ block: 'nearest' })
  }, [examined, fault])
  return (
    <div role="status" class="result" ref={panel}>
      {fault instanceof Error && (
        <div class="note bad">
          <strong>{texts.diagnose.unreadable}</strong>
          <p>{fault.message}</p>
        </div>
      )}
      {examined && <DiagnosisPanel {...examined} />}
      {!examined && !fault && (
        <section class="panel">
          <h2>{texts.diagnose.result}</h2>
          <p class="quiet">{texts.diagnose.nothing}</p>
        </section>
      )}
    </div>
  )
}
