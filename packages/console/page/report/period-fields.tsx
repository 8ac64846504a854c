import type { CatalogueReport } from '@counterfoil/protocol'
import { texts } from '../texts.ts'
import { faultAt, pointerOf } from './check-draft.ts'
import { setParameters, valueOf } from './draft.ts'
import { Field } from './field.tsx'
import { dayOf, ownTimezone, PERIOD_NAMES, PERIODS } from './periods.ts'

const LIST = 'inputReportParameters'
const BOUNDS = ['dateFrom', 'dateTo'] as const

/** The parameters that the period's controls set. */
export const PERIOD_PARAMETERS: readonly string[] = [...BOUNDS]

/** The period of a report: usual periods in one press, or its two bounds. */
export function PeriodFields({ report }: { readonly report: CatalogueReport }) {
  const set = (values: Readonly<Record<string, string | undefined>>) => {
    setParameters(LIST, report.inputReportParameters, values)
  }
  const choose = (name: keyof typeof PERIODS) => {
    const zone = valueOf(LIST, 'timezone') ?? ownTimezone()
    set({ ...PERIODS[name](dayOf(new Date(), zone)) })
  }
  return (
    <fieldset class="period">
      <legend class="hidden">{texts.report.period}</legend>
      <div class="fields">
        {BOUNDS.map((name) => {
          const value = valueOf(LIST, name) ?? ''
          // A request may also name a time of the day, for which this control would be empty.
          const isDay = /^(\d{4}-\d\d-\d\d)?$/.test(value)
          return (
            <Field
              key={name}
              label={texts.report.bounds[name]}
              fault={faultAt(pointerOf(LIST, name))}
            >
              {(attributes) => (
                <input
                  {...attributes}
                  {...(isDay ? { type: 'date' } : { type: 'text' })}
                  value={value}
                  onInput={(event) => set({ [name]: event.currentTarget.value || undefined })}
                />
              )}
            </Field>
          )
        })}
      </div>
      <div class="actions">
        {PERIOD_NAMES.map((name) => (
          <button type="button" class="small" key={name} onClick={() => choose(name)}>
            {texts.report.periods[name]}
          </button>
        ))}
      </div>
    </fieldset>
  )
}
