import type { CatalogueParameter } from '@counterfoil/protocol'
import { texts } from '../texts.ts'
import { faultAt, pointerOf } from './check-draft.ts'
import { type ParameterList, setParameters, valueOf } from './draft.ts'
import { Field } from './field.tsx'
import { hintOf, labelOf, valueLabelOf } from './labels.ts'

interface ParameterProps {
  readonly list: ParameterList
  readonly parameter: CatalogueParameter
}

/** The control of one parameter, by how the catalogue declares it. An empty control leaves the parameter out. */
export function ParameterField({ list, parameter }: ParameterProps) {
  const { name, list: isList, allowed } = parameter
  const set = (value: string) => setParameters(list, [parameter], { [name]: value || undefined })
  const value = valueOf(list, name) ?? ''
  if (isList && typeof allowed === 'object') {
    return <Choices parameter={parameter} allowed={allowed} value={value} set={set} />
  }
  const options = parameter.type === 'INPUT_BOOLEAN' ? ['true', 'false'] : allowed
  return (
    <Field
      label={titleOf(parameter)}
      hint={hintOf(parameter)}
      fault={faultAt(pointerOf(list, name))}
    >
      {(attributes) =>
        typeof options === 'object' ? (
          <select
            {...attributes}
            value={value}
            onChange={(event) => set(event.currentTarget.value)}
          >
            <option value="">
              {texts.report.defaultValue(
                parameter.default && valueLabelOf(name, parameter.default),
              )}
            </option>
            {options.map((option) => (
              <option key={option} value={option}>
                {valueLabelOf(name, option)}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...attributes}
            value={value}
            placeholder={parameter.default ?? ''}
            inputMode={parameter.type === 'INPUT_NUMBER' ? 'numeric' : undefined}
            list={name === 'timezone' ? 'timezones' : undefined}
            spellcheck={false}
            onInput={(event) => set(event.currentTarget.value)}
          />
        )
      }
    </Field>
  )
}

interface ChoicesProps {
  readonly parameter: CatalogueParameter
  readonly allowed: readonly string[]
  readonly value: string
  readonly set: (value: string) => void
}

function Choices({ parameter, allowed, value, set }: ChoicesProps) {
  const chosen = value === '' ? [] : value.split(',')
  const toggle = (name: string, isOn: boolean) => {
    set(allowed.filter((other) => (other === name ? isOn : chosen.includes(other))).join(','))
  }
  return (
    <fieldset class="checks wide">
      <legend>{titleOf(parameter)}</legend>
      {allowed.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />
          {name}
        </label>
      ))}
      <small>
        {parameter.title}. {texts.report.noneChosen(parameter.default)}
      </small>
    </fieldset>
  )
}

function titleOf({ name, required }: CatalogueParameter): string {
  return required ? texts.report.required(labelOf(name)) : labelOf(name)
}
