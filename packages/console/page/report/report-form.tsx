import type { CatalogueReport, ProblemFault } from '@counterfoil/protocol'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { AnswerPanel } from '../answer/answer-panel.tsx'
import { download, preview } from '../answer/ask.ts'
import { SelectField, TextField } from '../controls/fields.tsx'
import { gateway, hasKey, session } from '../session/session.ts'
import { beginDraft, draft, report } from './draft.ts'
import { readDraft } from './read-draft.ts'
import {
  ColumnsField,
  FileFields,
  FiltersFields,
  FormatField,
  ParameterField,
  PeriodFields,
} from './report-fields.tsx'

const FIRST = 'transactions-list'

const TIMEZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** A text that is not the draft's: while the person types, and while it has faults. */
const typed = signal<
  { readonly text: string; readonly faults: readonly ProblemFault[] } | undefined
>(undefined)

export function ReportView() {
  useEffect(() => {
    const reports = session.value?.catalogue.reports ?? []
    const usual = reports.find(({ reportIdentifier }) => reportIdentifier === FIRST) ?? reports[0]
    if (usual && !report.peek()) beginDraft(usual.reportIdentifier)
  }, [])
  return (
    <div class="workbench">
      <ReportForm />
      <AnswerPanel />
    </div>
  )
}

function ReportForm() {
  const isFaulty = (typed.value?.faults.length ?? 0) > 0
  const send = (ask: typeof preview) => {
    ask(draft.value)
    showAnswer()
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    send(preview)
  }
  const reports = session.value?.catalogue.reports ?? []
  return (
    <form class="panel request" onSubmit={submit} noValidate>
      <h1>Ask for a report</h1>
      <SelectField
        label="Report"
        hint={report.value?.description}
        value={draft.value.reportIdentifier}
        options={reports.map(({ reportIdentifier, title }) => [reportIdentifier, title])}
        onChoose={beginDraft}
      />
      {report.value && <Parameters report={report.value} />}
      <details>
        <summary>The request as JSON</summary>
        <JsonEditor />
        {hasKey.value && (
          <button type="button" disabled={isFaulty} onClick={() => void openInSignature()}>
            Show the signature
          </button>
        )}
      </details>
      <div class="actions send">
        <button type="submit" class="primary" disabled={isFaulty}>
          Show the report
        </button>
        <button type="button" disabled={isFaulty} onClick={() => send(download)}>
          Download {draft.value.reportFormat ?? 'CSV'}
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

function Parameters({ report: chosen }: { readonly report: CatalogueReport }) {
  const list = 'inputReportParameters'
  const names = ['dateFrom', 'dateTo', 'dateAxis', 'timezone']
  const others = chosen[list].filter(({ name }) => !names.includes(name))
  const find = (wanted: string) => chosen[list].filter(({ name }) => name === wanted)
  const fields = (parameters: typeof others) => {
    return parameters.map((parameter) => (
      <ParameterField key={parameter.name} list={list} parameter={parameter} />
    ))
  }
  return (
    <>
      {find('dateFrom').length > 0 && <PeriodFields report={chosen} />}
      {fields([...find('dateAxis'), ...find('timezone')])}
      <FormatField report={chosen} />
      <details>
        <summary>More parameters</summary>
        <div class="fields">{fields(others)}</div>
      </details>
      <details>
        <summary>Filters</summary>
        <FiltersFields report={chosen} />
      </details>
      <details>
        <summary>Columns</summary>
        <ColumnsField report={chosen} />
      </details>
      <details>
        <summary>How the file is written</summary>
        <FileFields report={chosen} />
      </details>
    </>
  )
}

function JsonEditor() {
  const [fault] = typed.value?.faults ?? []
  useEffect(() => () => void (typed.value = undefined), [])
  const type = (text: string) => {
    const read = readDraft(text)
    typed.value = { text, faults: 'faults' in read ? read.faults : [] }
    if ('request' in read) draft.value = read.request
  }
  return (
    <TextField
      label="Body of the request"
      rows={16}
      isCode
      fault={
        fault &&
        (fault.pointer === ''
          ? `Expected ${fault.expected}`
          : `At ${fault.pointer}: expected ${fault.expected}`)
      }
      value={typed.value?.text ?? JSON.stringify(draft.value, undefined, 2)}
      onInput={type}
      onBlur={() => {
        if (typed.value?.faults.length === 0) typed.value = undefined
      }}
    />
  )
}

async function openInSignature(): Promise<void> {
  const { openSignature } = await import('../sign/draft.ts')
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
