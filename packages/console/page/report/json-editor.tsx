import type { ProblemFault } from '@counterfoil/protocol'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { texts } from '../texts.ts'
import { draft } from './draft.ts'
import { Field } from './field.tsx'
import { readDraft } from './read-draft.ts'

/** A text that is not the draft's: while the person types, and while it has faults. */
const typed = signal<
  { readonly text: string; readonly faults: readonly ProblemFault[] } | undefined
>(undefined)

/** The JSON body of the request. It follows the form, and the form follows it. */
export function JsonEditor() {
  const text = typed.value?.text ?? JSON.stringify(draft.value, undefined, 2)
  const [fault] = typed.value?.faults ?? []
  useEffect(() => () => void (typed.value = undefined), [])
  return (
    <Field
      label={texts.report.body}
      fault={fault && texts.report.jsonFault(fault.pointer, fault.expected)}
    >
      {(attributes) => (
        <textarea
          {...attributes}
          class="code"
          rows={16}
          spellcheck={false}
          value={text}
          onInput={(event) => type(event.currentTarget.value)}
          onBlur={() => {
            if (typed.value?.faults.length === 0) typed.value = undefined
          }}
        />
      )}
    </Field>
  )
}

/** Whether the JSON text is not a request, so that the draft is older than the text. */
export function isJsonFaulty(): boolean {
  return (typed.value?.faults.length ?? 0) > 0
}

function type(text: string): void {
  const read = readDraft(text)
  typed.value = { text, faults: 'faults' in read ? read.faults : [] }
  if ('request' in read) draft.value = read.request
}
