import { useEffect } from 'preact/hooks'
import { AnswerPanel } from '../answer/answer-panel.tsx'
import { session } from '../session/session.ts'
import { beginDraft, report } from './draft.ts'
import { ReportForm } from './report-form.tsx'
import './report.css'

/** The report that people ask for most. */
const FIRST = 'transactions-list'

/** Where a person builds a request, sends it, and looks at the report. */
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
