import type { CatalogueReport } from '@counterfoil/protocol'
import { download, preview } from '../answer/ask.ts'
import { gateway } from '../session/gateway.ts'
import { hasKey, session } from '../session/session.ts'
import { texts } from '../texts.ts'
import { faults } from './check-draft.ts'
import { ColumnsField } from './columns-field.tsx'
import { beginDraft, draft, report } from './draft.ts'
import { Field } from './field.tsx'
import { FileFields, FormatField } from './file-fields.tsx'
import { FiltersFields } from './filters-fields.tsx'
import { isJsonFaulty, JsonEditor } from './json-editor.tsx'
import { ParameterField } from './parameter-field.tsx'
import { PERIOD_PARAMETERS, PeriodFields } from './period-fields.tsx'
import { TIMEZONES } from './periods.ts'

/** The form of a request: which report, which period, and how. The catalogue says what there is. */
export function ReportForm() {
  const chosen = report.value
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void preview(draft.value)
    showAnswer()
  }
  const save = () => {
    void download(draft.value)
    showAnswer()
  }
  const isFaulty = faults.value.length > 0 || isJsonFaulty()
  return (
    <form class="panel request" onSubmit={submit} noValidate>
      <h1>{texts.report.title}</h1>
      <ReportField />
      {chosen && <Parameters report={chosen} />}
      <details>
        <summary>{texts.report.json}</summary>
        <JsonEditor />
        {hasKey.value && (
          <button type="button" disabled={isFaulty} onClick={() => void openInSignature()}>
            {texts.report.signature}
          </button>
        )}
      </details>
      <div class="actions send">
        <button type="submit" class="primary" disabled={isFaulty}>
          {texts.report.preview}
        </button>
        <button type="button" disabled={isFaulty} onClick={save}>
          {texts.report.download(draft.value.reportFormat ?? 'CSV')}
        </button>
      </div>
      <datalist id="timezones">
        {TIMEZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </form>
  )
}

/** Shows how the request is signed. */
async function openInSignature(): Promise<void> {
  const { openSignature } = await import('../sign/to-sign.ts')
  const { reportUrl = '' } = gateway.value ?? {}
  const body = JSON.stringify(draft.value)
  openSignature({ method: 'POST', url: reportUrl, contentType: 'application/json', body })
}

/** On a narrow screen the answer is below the form. Beside a long form, its beginning may be out of sight. */
function showAnswer(): void {
  const answer = document.querySelector('.answer')
  const isNarrow = matchMedia('(width < 64rem)').matches
  if (answer && (isNarrow || answer.getBoundingClientRect().top < 0)) answer.scrollIntoView()
}

function ReportField() {
  const reports = session.value?.catalogue.reports ?? []
  return (
    <Field label={texts.report.report} hint={report.value?.description}>
      {(attributes) => (
        <select
          {...attributes}
          value={draft.value.reportIdentifier}
          onChange={(event) => beginDraft(event.currentTarget.value)}
        >
          {reports.map(({ reportIdentifier, title }) => (
            <option key={reportIdentifier} value={reportIdentifier}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** The parameters that most requests set come first. The others wait behind a summary. */
function Parameters({ report: chosen }: { readonly report: CatalogueReport }) {
  const others = chosen.inputReportParameters.filter(({ name }) => {
    return ![...PERIOD_PARAMETERS, 'timezone', 'dateAxis'].includes(name)
  })
  const find = (wanted: string) => chosen.inputReportParameters.find(({ name }) => name === wanted)
  const [axis, zone] = [find('dateAxis'), find('timezone')]
  const hasPeriod = chosen.inputReportParameters.some(({ name }) => name === 'dateFrom')
  return (
    <>
      {hasPeriod && <PeriodFields report={chosen} />}
      {axis && <ParameterField list="inputReportParameters" parameter={axis} />}
      {zone && <ParameterField list="inputReportParameters" parameter={zone} />}
      <FormatField report={chosen} />
      <details>
        <summary>{texts.report.parameters}</summary>
        <div class="fields">
          {others.map((parameter) => (
            <ParameterField
              key={parameter.name}
              list="inputReportParameters"
              parameter={parameter}
            />
          ))}
        </div>
      </details>
      <details>
        <summary>{texts.report.filters}</summary>
        <FiltersFields report={chosen} />
      </details>
      <details>
        <summary>{texts.report.columns}</summary>
        <ColumnsField report={chosen} />
      </details>
      <FileFields report={chosen} />
    </>
  )
}
