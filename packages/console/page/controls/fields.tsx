import { type ComponentChildren, h } from 'preact'
import { useId } from 'preact/hooks'

interface LabelProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
}

interface FieldProps extends LabelProps {
  /** Renders the control with the attributes that connect it with its label, its hint and its fault. */
  readonly children: (attributes: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
    readonly 'aria-invalid': boolean | undefined
  }) => ComponentChildren
}

function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId()
  const [hintId, faultId] = [`${id}-hint`, `${id}-fault`]
  const describedBy = [hint && hintId, fault && faultId].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': fault === undefined ? undefined : true,
      })}
      {hint !== undefined && <small id={hintId}>{hint}</small>}
      {fault !== undefined && (
        <span class="fault" id={faultId}>
          {fault}
        </span>
      )}
    </div>
  )
}

interface TextFieldProps extends LabelProps {
  readonly value: string
  readonly onInput?: (text: string) => void
  /** Takes the text when the person leaves the field. */
  readonly onChange?: (text: string) => void
  readonly onBlur?: () => void
  readonly rows?: number
  readonly type?: 'text' | 'password' | 'date'
  readonly inputMode?: 'numeric' | undefined
  readonly isCode?: boolean
  readonly required?: boolean
  readonly placeholder?: string
  readonly maxLength?: number
  readonly list?: string | undefined
  readonly beside?: ComponentChildren
}

interface Typed {
  readonly currentTarget: { readonly value: string }
}

/** A labelled text. The browser neither completes nor corrects it. */
export function TextField(props: TextFieldProps) {
  const { label, hint, fault, onInput, onChange, rows, isCode = false, beside, ...others } = props
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(attributes) => {
        const all = {
          ...attributes,
          ...others,
          class: isCode ? 'code' : '',
          autocomplete: 'off',
          autocapitalize: 'none',
          spellcheck: false,
          onInput: (event: Typed) => onInput?.(event.currentTarget.value),
          onChange: (event: Typed) => onChange?.(event.currentTarget.value),
        } as const
        if (rows !== undefined) return <textarea {...all} rows={rows} />
        return (
          <span class="with-button">
            {h('input', all)}
            {beside}
          </span>
        )
      }}
    </Field>
  )
}

interface SelectFieldProps extends LabelProps {
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChoose: (value: string) => void
  readonly disabled?: boolean
}

export function SelectField({ value, options, onChoose, disabled, ...label }: SelectFieldProps) {
  return (
    <Field {...label}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          disabled={disabled ?? false}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface RadioChoiceProps<T extends string> {
  readonly legend: string
  readonly options: readonly (readonly [option: T, label: ComponentChildren])[]
  readonly chosen: T
  readonly onChoose: (option: T) => void
}

export function RadioChoice<T extends string>(props: RadioChoiceProps<T>) {
  const group = useId()
  return (
    <fieldset class="choice">
      <legend>{props.legend}</legend>
      {props.options.map(([option, label]) => (
        <label key={option}>
          <input
            type="radio"
            name={group}
            checked={option === props.chosen}
            onChange={() => props.onChoose(option)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

interface ChecksProps {
  readonly legend: string
  readonly options: readonly (readonly [option: string, label: ComponentChildren])[]
  readonly chosen: readonly string[]
  readonly onChoose: (chosen: readonly string[]) => void
  readonly hint?: string
  readonly fault?: string | undefined
  /** `choice` sets the options beside each other, `columns` below each other. */
  readonly class?: string
  readonly isLegendHidden?: boolean
}

export function Checks({ legend, options, chosen, onChoose, hint, fault, ...look }: ChecksProps) {
  const toggle = (changed: string, isOn: boolean) => {
    const all = options.map(([option]) => option)
    onChoose(all.filter((option) => (option === changed ? isOn : chosen.includes(option))))
  }
  return (
    <fieldset class={look.class ?? 'choice'}>
      <legend class={look.isLegendHidden ? 'hidden' : ''}>{legend}</legend>
      {options.map(([option, label]) => (
        <label key={option}>
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={(event) => toggle(option, event.currentTarget.checked)}
          />
          <span>{label}</span>
        </label>
      ))}
      {hint !== undefined && <small>{hint}</small>}
      {fault !== undefined && <span class="fault">{fault}</span>}
    </fieldset>
  )
}
