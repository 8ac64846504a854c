import { texts } from '../../texts.ts'
import { LIMITS } from '../limits.ts'
import { CellText } from './cell-text.tsx'
import { RowTable } from './row-table.tsx'
import {
  copyRows,
  goToNextHit,
  rowsOf,
  search,
  selectionOf,
  type TableState,
} from './table-state.ts'
import { TotalsTable } from './totals-table.tsx'
import { beginningOf } from './visible-text.ts'

/** The rows of a report: the table, a search in it, the totals of its amounts, and a way to copy them. */
export function TablePanel({ state }: { readonly state: TableState }) {
  const end = state.rows.transfer.end.value
  const rows = rowsOf(state)
  if (rows === 0)
    return end?.kind === 'complete' ? <p class="quiet">{texts.answer.noRows}</p> : null
  return (
    <div class="rows-panel">
      <div class="rows-tools">
        <SearchBar state={state} />
        <CopyButtons state={state} />
      </div>
      <RowTable state={state} />
      <CellDetail state={state} />
      {end && <TotalsTable rows={state.rows} />}
    </div>
  )
}

function SearchBar({ state }: { readonly state: TableState }) {
  const { hits, searched, isDone } = state.found.value
  const { row } = state.active.value
  const query = state.query.value
  const position = hits.indexOf(row) + 1
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
        aria-label={texts.answer.search}
        placeholder={texts.answer.search}
        onInput={(event) => void search(state, event.currentTarget.value)}
      />
      {query !== '' && (
        <>
          <button type="button" disabled={hits.length === 0} onClick={() => goToNextHit(state, -1)}>
            {texts.answer.previous}
          </button>
          <button type="submit" disabled={hits.length === 0}>
            {texts.answer.next}
          </button>
          <span class="quiet" role="status">
            {isDone ? texts.answer.hits(position, hits.length) : texts.answer.searched(searched)}
          </span>
        </>
      )}
    </form>
  )
}

function CopyButtons({ state }: { readonly state: TableState }) {
  const [first, last] = selectionOf(state)
  const copied = state.copied.value
  const rows = rowsOf(state)
  return (
    <div class="actions">
      <button type="button" onClick={() => void copyRows(state, first, last)}>
        {texts.answer.copySelected(last - first + 1)}
      </button>
      <button type="button" onClick={() => void copyRows(state, 0, rows - 1)}>
        {texts.answer.copyAll(Math.min(rows, LIMITS.copiedRows), rows)}
      </button>
      <span class="quiet" role="status">
        {copied instanceof Error
          ? texts.answer.notCopied(copied.message)
          : copied !== undefined && texts.answer.copied(copied)}
      </span>
    </div>
  )
}

/** The complete text of the active cell, which the table cuts. */
function CellDetail({ state }: { readonly state: TableState }) {
  const { row, column } = state.active.value
  const { columns, store } = state.rows
  const cell = store.cells(row)[column]
  const { title = '' } = columns.value[column] ?? {}
  const text = beginningOf(String(cell ?? ''), LIMITS.detailCharacters)
  return (
    <div class="cell-detail">
      <strong>
        {texts.answer.row(row + 1)} · <CellText text={title} />
      </strong>
      <pre tabIndex={0} role="region" aria-label={texts.answer.cell}>
        {text === '' ? (
          <span class="quiet">{cell === '' ? texts.answer.emptyText : texts.answer.noValue}</span>
        ) : (
          <CellText text={text} />
        )}
      </pre>
    </div>
  )
}
