import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { report } from '../report/draft.ts'
import { RunEntry } from '../runs/run-entry.tsx'
import { isLoading, listRuns, runs } from '../runs/run-list.ts'
import { texts } from '../texts.ts'
import { AnswerHead } from './answer-head.tsx'
import './answer.css'
import { charts, preview, saving, showEveryRow, table } from './ask.ts'
import { ChartPanel } from './charts/chart-panel.tsx'
import { readCharts } from './charts/chart-state.ts'
import { LIMITS } from './limits.ts'
import type { TableState } from './table/table-state.ts'
import { TablePanel } from './table/table-panel.tsx'
import { TransferStatus } from './transfer-status.tsx'

/** Shows the answer to the last request: its head, its rows and its charts. */
export function AnswerPanel() {
  const state = table.value
  const download = saving.value
  return (
    <section class="panel answer" aria-labelledby="answer-title">
      <h2 id="answer-title">{texts.answer.title}</h2>
      {!state && !download && <Nothing />}
      {download && <Download />}
      {state && <Preview key={state} state={state} />}
    </section>
  )
}

/** What stands here before the first report: the last runs, or a way to see an example. */
function Nothing() {
  useEffect(() => void listRuns(), [])
  const { example } = report.value ?? {}
  const last = runs.value.slice(0, LIMITS.lastRuns)
  return (
    <>
      <p class="quiet">{texts.answer.nothing}</p>
      {last.length > 0 && (
        <section class="runs">
          <h3>{texts.answer.lastRuns}</h3>
          <ul>
            {last.map((run) => (
              <RunEntry key={run.runId} run={run} />
            ))}
          </ul>
        </section>
      )}
      {last.length === 0 && !isLoading.value && example && (
        <div class="actions">
          <button type="button" onClick={() => void preview(example)}>
            {texts.answer.example}
          </button>
        </div>
      )}
    </>
  )
}

/** How far the last download is, and what was saved. */
function Download() {
  const transfer = saving.value
  if (!transfer) return null
  const { fileName = '' } = transfer.head.value ?? {}
  const isSaved = transfer.end.value?.kind === 'complete'
  const isFailed = transfer.end.value !== undefined && !isSaved
  return (
    <section class="download" aria-label={texts.answer.download}>
      <h3>
        {isSaved ? texts.answer.saved : isFailed ? texts.answer.notSaved : texts.answer.downloading}{' '}
        <bdi>{fileName}</bdi>
      </h3>
      <TransferStatus transfer={transfer} />
      <AnswerHead transfer={transfer} />
    </section>
  )
}

function Preview({ state }: { readonly state: TableState }) {
  const isChart = useSignal(false)
  const { transfer, rowsMax } = state.rows
  const isPartial = transfer.end.value?.kind === 'partial'
  const openCharts = () => {
    isChart.value = true
    const chartState = charts.value
    const end = chartState?.reading.value?.transfer.end.value
    const isReadable = end !== undefined && end.kind !== 'complete'
    if (chartState && (!chartState.reading.value || isReadable)) readCharts(chartState)
  }
  return (
    <>
      <h3>{state.rows.report.title || state.rows.request.reportIdentifier}</h3>
      <TransferStatus transfer={transfer} />
      <AnswerHead transfer={transfer} />
      <div class="actions" role="group" aria-label={texts.answer.views}>
        <button type="button" aria-pressed={!isChart.value} onClick={() => (isChart.value = false)}>
          {texts.answer.rows}
        </button>
        <button type="button" aria-pressed={isChart.value} onClick={openCharts}>
          {texts.answer.charts}
        </button>
        {isPartial && !isChart.value && rowsMax < LIMITS.tableRows && (
          <button type="button" onClick={() => void showEveryRow()}>
            {texts.answer.showAll}
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
