import type { Field as DeclaredField, FieldKind, Operation } from '@counterfoil/protocol'
import { Field } from '../report/field.tsx'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { texts } from '../texts.ts'
import { alternativeOf, chosen, faults, operation, valueOf, values } from './form.ts'

/** Kinds of values that people type with digits. */
const NUMERIC: readonly FieldKind[] = ['card', 'cvv', 'digits', 'month', 'year', 'card-id']

/** The control of one field. */
export function ValueField({ field }: { readonly field: DeclaredField }) {
  const { name, title, kind, lengthMax, required } = field
  const fault = faults.value.find((other) => other.field === name)
  // An empty required field shows no fault before the person has typed.
  const shown = values.value[name] === undefined ? undefined : fault?.expected
  return (
    <Field label={required ? texts.report.required(name) : name} hint={title} fault={shown}>
      {(attributes) => (
        <input
          {...attributes}
          {...(kind === 'cvv' ? { type: 'password' } : { type: 'text' })}
          value={valueOf(field)}
          maxLength={lengthMax}
          inputMode={NUMERIC.includes(kind) ? 'numeric' : undefined}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => set(name, event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** The choices of the operation, such as the source of the money, each with the fields of what was chosen. */
export function ChoiceFields({ fields }: { readonly fields: readonly DeclaredField[] }) {
  return (
    <>
      {operation.value.choices.map((choice) => {
        const { field, requires = [], allows = [] } = alternativeOf(choice)
        const names = [field, ...requires, ...allows]
        return (
          <section class="choices" key={choice.title}>
            <AlternativeField choice={choice} />
            <div class="fields">
              {fields
                .filter(({ name, kind }) => names.includes(name) && kind !== 'boolean')
                .map((own) => (
                  <ValueField key={own.name} field={own} />
                ))}
            </div>
          </section>
        )
      })}
    </>
  )
}

function AlternativeField({ choice }: { readonly choice: Operation['choices'][number] }) {
  const { title, alternatives } = choice
  return (
    <RadioChoice
      legend={texts.payments.choice(title)}
      options={alternatives.map(({ field }) => field)}
      chosen={alternativeOf(choice).field}
      onChoose={(field) => (chosen.value = { ...chosen.value, [title]: field })}
    />
  )
}

function set(name: string, value: string): void {
  values.value = { ...values.value, [name]: value }
}
