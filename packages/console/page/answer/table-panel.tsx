import { CellText } from '../controls/cell-text.tsx'
import { Table } from '../controls/table.tsx'
import { beginningOf } from '../controls/visible-text.ts'
import { formatCount, formatRows, groupThousands } from './amounts.ts'
import { RowTable } from './row-table.tsx'
import type { LoadedRows } from './rows.ts'
import {
  COPIED_ROWS_MAX,
  copyRows,
  countRows,
  goToNextHit,
  search,
  selectionOf,
  type TableState,
} from './table-state.ts'

/** Characters of a cell in the line below the table. A copy has all. */
const DETAIL_CHARACTERS = 20_000

/** Rows of the table of totals. The page draws all of them at once. */
const TOTALS_MAX = 2_000

interface TableProps {
  readonly state: TableState
}

/** The rows of a report: the table, a search in it, the totals of its amounts, and a way to copy them. */
export function TablePanel({ state }: TableProps) {
  const end = state.rows.transfer.end.value
  if (countRows(state) === 0) {
    return end?.kind === 'complete' ? <p class="quiet">The report has no rows.</p> : null
  }
  return (
    <div class="rows-panel">
      <div class="rows-tools">
        <SearchBar state={state} />
        <CopyButtons state={state} />
      </div>
      <RowTable state={state} />
      <CellDetail state={state} />
      {end && <Totals rows={state.rows} />}
    </div>
  )
}

function SearchBar({ state }: TableProps) {
  const { hits, searched, isDone } = state.found.value
  const position = hits.indexOf(state.active.value.row) + 1
  const rows = formatRows(hits.length)
  const count = position > 0 ? `${formatCount(position)} of ${rows}` : rows
  return (
    <form
      class="actions"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        goToNextHit(state, 1)
      }}
    >
      <input
        type="search"
        class="rows-search"
        aria-label="Search in these rows"
        placeholder="Search in these rows"
        onInput={(event) => void search(state, event.currentTarget.value)}
      />
      {state.query.value !== '' && (
        <>
          <button type="button" disabled={hits.length === 0} onClick={() => goToNextHit(state, -1)}>
            Previous
          </button>
          <button type="submit" disabled={hits.length === 0}>
            Next
          </button>
          <span class="quiet" role="status">
            {!isDone && `${formatCount(searched)} rows searched …`}
            {isDone && (hits.length === 0 ? 'Not found' : count)}
          </span>
        </>
      )}
    </form>
  )
}

function CopyButtons({ state }: TableProps) {
  const [first, last] = selectionOf(state)
  const copied = state.copied.value
  const rows = countRows(state)
  const selected = last - first + 1
  return (
    <div class="actions">
      <button type="button" onClick={() => void copyRows(state, first, last)}>
        Copy {selected === 1 ? 'the row' : formatRows(selected)}
      </button>
      <button type="button" onClick={() => void copyRows(state, 0, rows - 1)}>
        {rows > COPIED_ROWS_MAX
          ? `Copy the first ${formatCount(COPIED_ROWS_MAX)} rows`
          : 'Copy all as TSV'}
      </button>
      <span class="quiet" role="status">
        {copied instanceof Error && `Not copied: ${copied.message}`}
        {typeof copied === 'number' && `${formatRows(copied)} copied as TSV`}
      </span>
    </div>
  )
}

/** The complete text of the active cell, which the table cuts. */
function CellDetail({ state }: TableProps) {
  const { row, column } = state.active.value
  const { columns, store } = state.rows
  const cell = store.cells(row)[column]
  const text = beginningOf(String(cell ?? ''), DETAIL_CHARACTERS)
  return (
    <div class="cell-detail">
      <strong>
        Row {formatCount(row + 1)} · <CellText text={columns.value[column]?.title ?? ''} />
      </strong>
      <pre tabIndex={0} role="region" aria-label="The text of the cell">
        {text === '' ? (
          <span class="quiet">{cell === '' ? 'empty text' : 'no value'}</span>
        ) : (
          <CellText text={text} />
        )}
      </pre>
    </div>
  )
}

/** The exact sums that the report's file declares, separated by the columns that it names. */
function Totals({ rows }: { readonly rows: LoadedRows }) {
  const isComplete = rows.transfer.end.value?.kind === 'complete'
  const { by, columns } = rows.totals
  const totals = rows.totals.totals(isComplete)
  if (totals.length === 0) return null
  const covered = isComplete ? 'all rows' : `the first ${formatCount(rows.store.length)} rows only`
  return (
    <details class="totals">
      <summary>Totals of {covered}</summary>
      {rows.report.note !== undefined && <p class="quiet">{rows.report.note}</p>}
      <FirstRows
        name="Totals"
        titles={[...by, 'Rows', ...columns]}
        numbers={columns.length + 1}
        rows={totals.map(({ group, rows: count, sums }) => [
          ...group,
          formatCount(count),
          ...sums.map(groupThousands),
        ])}
      />
    </details>
  )
}

/** A table that shows as many rows as a page draws at once, and says so. */
export function FirstRows({ rows, ...props }: Parameters<typeof Table>[0]) {
  const shown = rows.slice(0, TOTALS_MAX)
  return (
    <>
      <Table {...props} rows={shown} />
      {shown.length < rows.length && (
        <p class="note">
          The table has the first {formatCount(shown.length)} of {formatCount(rows.length)} figures.
          For the others, download the report.
        </p>
      )}
    </>
  )
}
