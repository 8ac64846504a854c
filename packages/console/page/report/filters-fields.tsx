import { type CatalogueReport, filterId, type FilterName } from '@counterfoil/protocol'
import { texts } from '../texts.ts'
import { faultAt } from './check-draft.ts'
import { draft, setFilter } from './draft.ts'
import { Field } from './field.tsx'

/** The filters of a report, each a list of ids or currency codes. */
export function FiltersFields({ report }: { readonly report: CatalogueReport }) {
  return (
    <div class="fields">
      {report.filters.map((name) => (
        <FilterField key={name} name={name} />
      ))}
    </div>
  )
}

function FilterField({ name }: { readonly name: FilterName }) {
  const value = (draft.value.filters?.[name] ?? []).map(filterId).join(', ')
  const set = (text: string) => setFilter(name, text.split(/[\s,;]+/).filter(Boolean))
  return (
    <Field label={name} fault={faultAt(`/filters/${name}`)}>
      {(attributes) => (
        <input
          {...attributes}
          value={value}
          placeholder={name === 'currencies' ? 'EUR, USD' : texts.report.everything}
          spellcheck={false}
          onChange={(event) => set(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
