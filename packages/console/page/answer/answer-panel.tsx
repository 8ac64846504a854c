import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { report } from '../report/draft.ts'
import { isLoading, listRuns, RunList, runs } from '../runs/runs-view.tsx'
import { charts, preview, saving, showEveryRow, table, TABLE_ROWS_MAX } from './ask.ts'
import { ChartPanel } from './chart-panel.tsx'
import { readCharts } from './chart-state.ts'
import { TablePanel } from './table-panel.tsx'
import type { TableState } from './table-state.ts'
import type { Transfer } from './transfer.ts'
import { AnswerHead, TransferStatus } from './transfer-status.tsx'

/** Shows the answer to the last request: its head, its rows and its charts. */
export function AnswerPanel() {
  const state = table.value
  return (
    <section class="panel answer" aria-labelledby="answer-title">
      <h2 id="answer-title">Answer</h2>
      {!state && !saving.value && <Nothing />}
      {saving.value && <Download transfer={saving.value} />}
      {state && <Preview key={state} state={state} />}
    </section>
  )
}

/** What stands here before the first report: the last runs, or a way to see an example. */
function Nothing() {
  useEffect(() => void listRuns(), [])
  const { example } = report.value ?? {}
  const last = runs.value.slice(0, 5)
  return (
    <>
      <p class="quiet">The report appears here.</p>
      {last.length > 0 && (
        <>
          <h3>Your last reports</h3>
          <RunList runs={last} />
        </>
      )}
      {last.length === 0 && !isLoading.value && example && (
        <div class="actions">
          <button type="button" onClick={() => preview(example)}>
            Show an example
          </button>
        </div>
      )}
    </>
  )
}

/** How far the last download is, and what was saved. */
function Download({ transfer }: { readonly transfer: Transfer }) {
  const { fileName = '' } = transfer.head.value ?? {}
  const end = transfer.end.value
  const title = end ? (end.kind === 'complete' ? 'Saved' : 'Not saved') : 'Downloading'
  return (
    <section class="download" aria-label="Download">
      <h3>
        {title} <bdi>{fileName}</bdi>
      </h3>
      <TransferStatus transfer={transfer} />
      <AnswerHead transfer={transfer} />
    </section>
  )
}

function Preview({ state }: { readonly state: TableState }) {
  const isChart = useSignal(false)
  const { transfer, rowsMax, report: described, request } = state.rows
  const isPartial = transfer.end.value?.kind === 'partial'
  const openCharts = () => {
    isChart.value = true
    const end = charts.value?.reading.value?.transfer.end.value
    const isReadable = end !== undefined && end.kind !== 'complete'
    if (charts.value && (!charts.value.reading.value || isReadable)) readCharts(charts.value)
  }
  return (
    <>
      <h3>{described.title || request.reportIdentifier}</h3>
      <TransferStatus transfer={transfer} />
      <AnswerHead transfer={transfer} />
      <div class="actions" role="group" aria-label="Rows or charts">
        <button type="button" aria-pressed={!isChart.value} onClick={() => (isChart.value = false)}>
          Rows
        </button>
        <button type="button" aria-pressed={isChart.value} onClick={openCharts}>
          Charts
        </button>
        {isPartial && !isChart.value && rowsMax < TABLE_ROWS_MAX && (
          <button type="button" onClick={showEveryRow}>
            Show every row
          </button>
        )}
      </div>
      {isChart.value && charts.value ? (
        <ChartPanel state={charts.value} />
      ) : (
        <TablePanel state={state} />
      )}
    </>
  )
}
