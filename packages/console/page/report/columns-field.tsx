import type { CatalogueReport } from '@counterfoil/protocol'
import { texts } from '../texts.ts'
import { faultAt } from './check-draft.ts'
import { change, draft } from './draft.ts'

/** The columns of the report: all usual ones, or those that the person checks. */
export function ColumnsField({ report }: { readonly report: CatalogueReport }) {
  const usual = report.columns.filter(({ optional }) => !optional).map(({ name }) => name)
  const chosen = chosenNames() ?? usual
  const toggle = (name: string, isOn: boolean) => {
    const names = report.columns
      .map((column) => column.name)
      .filter((other) => (other === name ? isOn : chosen.includes(other)))
    const isUsual = names.join() === usual.join() || names.length === 0
    change({ outputReportParameters: isUsual ? undefined : names })
  }
  const fault = faultAt('/outputReportParameters')
  return (
    <fieldset class="columns">
      <legend class="hidden">{texts.report.columns}</legend>
      {report.columns.map(({ name, about }) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />
          <span>
            <b>{name}</b>
            <small>{about}</small>
          </span>
        </label>
      ))}
      {fault !== undefined && <span class="fault">{fault}</span>}
    </fieldset>
  )
}

/** Returns the names of the columns that the draft chooses, or undefined if it leaves the choice to the report. */
function chosenNames(): readonly string[] | undefined {
  const elements = draft.value.outputReportParameters ?? []
  if (elements.length === 0) return undefined
  return elements.map((element) => (typeof element === 'string' ? element : element.name))
}
