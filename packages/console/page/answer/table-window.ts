/** The height of a row. */
export const ROW_PX = 28

/** Browsers draw no element higher than 17 to 33 million pixels. A higher table scrolls by a scale, at most by 2. */
const HEIGHT_PX_MAX = 15_000_000

/** What a table with rows of one height shows of them. */
export interface TableWindow {
  /** The height of the scrolled element. */
  readonly heightPx: number
  readonly firstRow: number
  readonly rows: number
  /** How much of the first row is above the window. */
  readonly hiddenPx: number
}

/** A table of some rows in a view of some height. */
export interface TableSize {
  readonly rows: number
  readonly viewPx: number
}

/** Returns what a table shows when its element is scrolled to `scrollTop`. */
export function windowAt(size: TableSize, scrollTop: number): TableWindow {
  const { rows, viewPx } = size
  const topPx = Math.max(0, scrollTop * scaleOf(size))
  const firstRow = Math.min(Math.floor(topPx / ROW_PX), Math.max(0, rows - 1))
  return {
    heightPx: heightOf(rows),
    firstRow,
    rows: Math.min(Math.ceil(viewPx / ROW_PX) + 1, rows - firstRow),
    hiddenPx: topPx - firstRow * ROW_PX,
  }
}

/** Returns where to scroll to, so that a row is in view: nowhere if it is. */
export function scrollTopFor(size: TableSize, scrollTop: number, row: number): number {
  const scale = scaleOf(size)
  const topPx = scrollTop * scale
  const rowPx = row * ROW_PX
  if (rowPx < topPx) return Math.floor(rowPx / scale)
  const lowestPx = rowPx + ROW_PX - size.viewPx
  return lowestPx > topPx ? Math.ceil(lowestPx / scale) : scrollTop
}

function scaleOf({ rows, viewPx }: TableSize): number {
  const scrolledPx = heightOf(rows) - viewPx
  return scrolledPx <= 0 ? 1 : (rows * ROW_PX - viewPx) / scrolledPx
}

function heightOf(rows: number): number {
  return Math.min(rows * ROW_PX, HEIGHT_PX_MAX)
}
