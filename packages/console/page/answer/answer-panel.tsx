import { useSignal } from '@preact/signals'
import { Table } from '../controls/table.tsx'
import { beginningOf } from '../controls/visible-text.ts'
import { formatSum, groupThousands } from './amounts.ts'
import { AnswerHead, Totals, TransferStatus } from './answer-parts.tsx'
import { charts, saving, table } from './ask.ts'
import { ChartPanel, readCharts } from './charts.tsx'
import type { LoadedRows } from './rows.ts'
import { type Cell, type Column, currencyOf } from './sums.ts'
import type { Transfer } from './transfer.ts'

export function AnswerPanel() {
  const rows = table.value
  return (
    <section class="panel answer" aria-labelledby="answer-title">
      <h2 id="answer-title">Answer</h2>
      {!rows && !saving.value && <p class="quiet">The report appears here.</p>}
      {saving.value && <Download transfer={saving.value} />}
      {rows && <Preview key={rows} rows={rows} />}
    </section>
  )
}

function Download({ transfer }: { readonly transfer: Transfer }) {
  const { fileName = '' } = transfer.head.value ?? {}
  const end = transfer.end.value
  const title = end ? (end.kind === 'complete' ? 'Saved' : 'Not saved') : 'Downloading'
  return (
    <section class="download stack" aria-label="Download">
      <h3>
        {title} <bdi>{fileName}</bdi>
      </h3>
      <TransferStatus transfer={transfer} />
      <AnswerHead transfer={transfer} />
    </section>
  )
}

function Preview({ rows }: { readonly rows: LoadedRows }) {
  const isChart = useSignal(false)
  const { transfer, report, request } = rows
  const openCharts = () => {
    isChart.value = true
    if (charts.value) readCharts(charts.value)
  }
  return (
    <>
      <h3>{report.title || request.reportIdentifier}</h3>
      <div class="actions" role="group" aria-label="Rows or totals">
        <button type="button" aria-pressed={!isChart.value} onClick={() => (isChart.value = false)}>
          First rows
        </button>
        <button type="button" aria-pressed={isChart.value} onClick={openCharts}>
          Totals and charts
        </button>
      </div>
      {isChart.value && charts.value ? (
        <ChartPanel state={charts.value} />
      ) : (
        <>
          <TransferStatus transfer={transfer} />
          <AnswerHead transfer={transfer} />
          <RowTable rows={rows} />
          <Totals rows={rows} />
        </>
      )}
    </>
  )
}

const CELL_CHARACTERS = 200

/** Kinds whose values stand at the right end of their column. */
const NUMBERS = ['money', 'rate', 'ratio', 'integer']

function RowTable({ rows }: { readonly rows: LoadedRows }) {
  const columns = rows.columns.value
  const count = rows.transfer.progress.value.rows
  if (count === 0) {
    const isComplete = rows.transfer.end.value?.kind === 'complete'
    return isComplete ? <p class="quiet">The report has no rows.</p> : null
  }
  return (
    <div class="rows">
      <Table
        name="Rows of the report"
        titles={columns.map(({ title }) => title)}
        isNumber={(column) => NUMBERS.includes(columns[column]?.kind ?? '')}
        rows={rows.first.slice(0, count).map((cells) => columns.map(textIn(cells, columns)))}
      />
    </div>
  )
}

function textIn(cells: readonly Cell[], columns: readonly Column[]) {
  return (column: Column, index: number): string => {
    const text = beginningOf(String(cells[index] ?? ''), CELL_CHARACTERS)
    if (column.kind === 'money') {
      const currency = currencyOf(column, columns)
      const code = currency && cells[columns.indexOf(currency)]
      return groupThousands(formatSum(text, String(code ?? '')))
    }
    return column.kind === 'time' ? text.slice(0, 16).replace('T', ' ') : text
  }
}
