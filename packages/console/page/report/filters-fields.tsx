import {
  type CatalogueReport,
  filterId,
  type FilterName,
  type FilterValues,
} from '@counterfoil/protocol'
import { session } from '../session/session.ts'
import { texts } from '../texts.ts'
import { faultAt } from './check-draft.ts'
import { draft, setFilter } from './draft.ts'
import { Field } from './field.tsx'
import { labelOf } from './labels.ts'

/** The filters of a report. People choose what the catalogue lists, and type ids only if it does not list all. */
export function FiltersFields({ report }: { readonly report: CatalogueReport }) {
  const { filterValues = {} } = session.value?.catalogue ?? {}
  return (
    <div class="fields">
      {report.filters.map((name) => {
        const listed = filterValues[name]
        if (!listed || listed.more) return <TypedFilter key={name} name={name} />
        const isChoice = listed.values.length > 1 || chosenOf(name).length > 0
        return !isChoice ? null : <ChosenFilter key={name} name={name} listed={listed} />
      })}
    </div>
  )
}

interface ChosenProps {
  readonly name: FilterName
  readonly listed: FilterValues
}

/** A request may also name ids of the past, which the catalogue does not list. */
function ChosenFilter({ name, listed }: ChosenProps) {
  const chosen = chosenOf(name)
  const past = chosen.filter((id) => !listed.values.some((value) => value.id === id))
  const all = [...listed.values, ...past.map((id) => ({ id, name: '' }))]
  const toggle = (id: string, isOn: boolean) => {
    setFilter(name, isOn ? [...chosen, id] : chosen.filter((other) => other !== id))
  }
  const fault = faultAt(`/filters/${name}`)
  return (
    <details class="wide filter">
      <summary>
        {labelOf(name)} <small>{texts.report.chosen(chosen.length)}</small>
      </summary>
      <fieldset class="checks">
        <legend class="hidden">{labelOf(name)}</legend>
        {all.map(({ id, name: title }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={(event) => toggle(id, event.currentTarget.checked)}
            />
            <span>
              <bdi>{title || id}</bdi> {title !== '' && title !== id && <small>{id}</small>}
            </span>
          </label>
        ))}
        {fault !== undefined && <span class="fault">{fault}</span>}
      </fieldset>
    </details>
  )
}

function TypedFilter({ name }: { readonly name: FilterName }) {
  const set = (text: string) => setFilter(name, text.split(/[\s,;]+/).filter(Boolean))
  return (
    <Field label={labelOf(name)} fault={faultAt(`/filters/${name}`)}>
      {(attributes) => (
        <input
          {...attributes}
          value={chosenOf(name).join(', ')}
          placeholder={name === 'currencies' ? 'EUR, USD' : texts.report.everything}
          spellcheck={false}
          onChange={(event) => set(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

function chosenOf(name: FilterName): readonly string[] {
  return (draft.value.filters?.[name] ?? []).map(filterId)
}
