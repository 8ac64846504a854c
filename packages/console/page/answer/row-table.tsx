import { useEffect, useRef } from 'preact/hooks'
import { CellText } from '../controls/cell-text.tsx'
import { beginningOf } from '../controls/visible-text.ts'
import { alignDecimals, formatCount, formatSum } from './amounts.ts'
import { type Cell, type Column, currencyOf } from './columns.ts'
import {
  copyRows,
  countRows,
  goTo,
  selectAll,
  selectionOf,
  shownRows,
  type TableState,
} from './table-state.ts'
import { ROW_PX } from './table-window.ts'

/** Characters of a cell in the table. The line below the table shows more. */
const CELL_CHARACTERS = 200

/** The width of a column of each kind. */
const WIDTH_REM: Readonly<Record<string, number>> = {
  id: 12,
  money: 7.5,
  rate: 8,
  ratio: 7,
  integer: 6,
  date: 8,
  time: 9.5,
}
const TEXT_REM = 13

/** Kinds whose values stand under each other by their digits. */
const NUMBERS = ['money', 'rate', 'ratio', 'integer']

/** A table of any number of rows. It holds only the rows that are in view. */
export function RowTable({ state }: { readonly state: TableState }) {
  const box = useRef<HTMLDivElement>(null)
  const shown = shownRows(state)
  const columns = state.rows.columns.value
  const { row: activeRow, column: activeColumn } = state.active.value
  useEffect(() => observeView(box.current, state), [state])
  useEffect(() => scrollDown(box.current, state), [state.scrollTop.value])
  useEffect(() => scrollSideways(box.current, activeColumn), [state.active.value])
  const numberRem = 1.25 + 0.55 * String(countRows(state)).length
  const widthRem = columns.reduce((sum, column) => sum + widthOf(column), numberRem)
  const slots = Math.ceil(state.viewPx.value / ROW_PX) + 1
  const isActiveShown = activeRow >= shown.firstRow && activeRow < shown.firstRow + shown.rows
  return (
    <div
      ref={box}
      class="rows"
      role="grid"
      tabIndex={0}
      aria-label="Rows of the report"
      aria-rowcount={countRows(state) + 1}
      aria-colcount={columns.length}
      aria-multiselectable="true"
      aria-activedescendant={isActiveShown ? cellId(activeRow, activeColumn) : undefined}
      onScroll={(event) => (state.scrollTop.value = event.currentTarget.scrollTop)}
      onKeyDown={(event) => onKey(event, state)}
    >
      <div
        class="rows-space"
        role="presentation"
        style={{ height: `${shown.heightPx + ROW_PX}px` }}
      >
        <div
          class="rows-window"
          role="presentation"
          style={{ height: `${state.viewPx.value + ROW_PX}px` }}
        >
          <table role="presentation" style={{ width: `${widthRem}rem` }}>
            <colgroup>
              <col style={{ width: `${numberRem}rem` }} />
              {columns.map((column) => (
                <col key={column.title} style={{ width: `${widthOf(column)}rem` }} />
              ))}
            </colgroup>
            <Head columns={columns} />
            <tbody role="rowgroup" style={{ transform: `translateY(${-shown.hiddenPx}px)` }}>
              {Array.from({ length: shown.rows }, (_, index) => {
                const row = shown.firstRow + index
                // A row keeps its elements while it is in view, and then leaves them to the next.
                return <Row key={row % slots} state={state} row={row} />
              })}
            </tbody>
          </table>
        </div>
      </div>
    </div>
  )
}

function Head({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        <td role="presentation" />
        {columns.map(({ title, kind }, index) => (
          <th
            key={title}
            role="columnheader"
            aria-colindex={index + 1}
            class={classOf(kind)}
            title={title}
          >
            <CellText text={title} />
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Row({ state, row }: { readonly state: TableState; readonly row: number }) {
  const columns = state.rows.columns.value
  const cells = state.rows.store.cells(row)
  const [first, last] = selectionOf(state)
  const active = state.active.value
  const query = state.query.value
  return (
    <tr role="row" aria-rowindex={row + 2} aria-selected={row >= first && row <= last}>
      <td role="presentation" class="row-number">
        {formatCount(row + 1)}
      </td>
      {columns.map(({ title, kind }, column) => (
        <td
          key={title}
          id={cellId(row, column)}
          role="gridcell"
          aria-colindex={column + 1}
          class={`${classOf(kind)} ${row === active.row && column === active.column ? 'active' : ''}`}
          onClick={(event) => goTo(state, row, column, event.shiftKey)}
        >
          <CellText text={shownText(state, cells, column)} query={query} />
        </td>
      ))}
    </tr>
  )
}

/** Keys that move the active cell, by rows or to an end. `shift` extends the selection. */
function onKey(event: KeyboardEvent, state: TableState): void {
  const { row, column } = state.active.value
  const { key, shiftKey } = event
  const page = Math.max(1, Math.floor(state.viewPx.value / ROW_PX) - 1)
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowDown: [row + 1, column],
    ArrowUp: [row - 1, column],
    ArrowRight: [row, column + 1],
    ArrowLeft: [row, column - 1],
    PageDown: [row + page, column],
    PageUp: [row - page, column],
    Home: [0, column],
    End: [countRows(state) - 1, column],
  }
  const move = moves[key]
  if (move) goTo(state, ...move, shiftKey)
  else if (!event.ctrlKey && !event.metaKey) return
  else if (key === 'a') selectAll(state)
  else if (key === 'c' && String(getSelection()) === '') void copyRows(state, ...selectionOf(state))
  else return
  event.preventDefault()
}

function observeView(box: HTMLDivElement | null, { viewPx }: TableState) {
  if (!box) return undefined
  const observer = new ResizeObserver(() => (viewPx.value = Math.max(0, box.clientHeight - ROW_PX)))
  observer.observe(box)
  return () => observer.disconnect()
}

/** Scrolls to where a key or a search led. */
function scrollDown(box: HTMLDivElement | null, { scrollTop }: TableState): void {
  if (box && Math.abs(box.scrollTop - scrollTop.value) >= 1) box.scrollTop = scrollTop.value
}

/** Scrolls so that a column is in view. */
function scrollSideways(box: HTMLDivElement | null, column: number): void {
  const head = box?.querySelectorAll('th')[column]
  if (!box || !head) return
  const { offsetLeft, offsetWidth } = head
  if (offsetLeft < box.scrollLeft) box.scrollLeft = column === 0 ? 0 : offsetLeft
  const right = offsetLeft + offsetWidth - box.clientWidth
  if (right > box.scrollLeft) box.scrollLeft = right
}

/** The line below the table shows the complete text. A search marks what it found as it is in the file. */
function shownText({ query, rows }: TableState, cells: readonly Cell[], index: number): string {
  const cell = cells[index] ?? null
  const column = rows.columns.value[index]
  if (cell === null || !column) return ''
  const text = beginningOf(String(cell), CELL_CHARACTERS)
  if (query.value !== '' && text.toLowerCase().includes(query.value)) return text
  if (column.kind === 'money') {
    const currency = currencyOf(column, rows.columns.value)
    const code = currency && cells[rows.columns.value.indexOf(currency)]
    return alignDecimals(formatSum(text, String(code ?? '')))
  }
  return column.kind === 'time' ? text.slice(0, 16).replace('T', ' ') : text
}

function classOf(kind: string): string {
  return NUMBERS.includes(kind) ? 'number' : ''
}

/** Numbers are narrower than most of their titles. */
function widthOf({ name, kind, title }: Column): number {
  // Columns of few short texts.
  if (kind === 'text' && /currency$/i.test(name)) return 5.5
  if (kind === 'text' && /(status|type|stage|kind|direction)$/i.test(name)) return 9
  const ofKind = WIDTH_REM[kind] ?? TEXT_REM
  const ofTitle = Math.min(1.2 + 0.5 * title.length, TEXT_REM)
  return NUMBERS.includes(kind) ? Math.max(ofKind, ofTitle) : ofKind
}

function cellId(row: number, column: number): string {
  return `cell-${row}-${column}`
}
