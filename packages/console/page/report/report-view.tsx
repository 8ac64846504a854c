import { AnswerPanel } from '../answer/answer-panel.tsx'

/** Where a person builds a request, sends it, and looks at the report. */
export function ReportView() {
  return (
    <div class="workbench">
      <AnswerPanel />
    </div>
  )
}
