import type { Color, Page } from '../document/page.ts'
import type { Typesetter } from '../text/typesetter.ts'
import type { CategoryFigures } from './chart-figures.ts'

/** The room of a chart on its page, in points. */
export interface ChartArea {
  readonly page: Page
  readonly typesetter: Typesetter
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const BAR: Color = [0.16, 0.36, 0.62]
const TRACK: Color = [0.92, 0.935, 0.955]
const GRID: Color = [0.87, 0.88, 0.9]
const AXIS: Color = [0.45, 0.48, 0.55]
const INK: Color = [0.25, 0.27, 0.32]

const LABEL_SIZE = 7
const LABEL_ROOM = 62
const NAME_ROOM = 110
/** The width of a day, in points, even if there are few. */
const BAR_MAX = 14
const DAY_MS = 86_400_000

/** Draws a bar for each day, from the zero line up or down. Days stand at their places in the calendar. */
export function drawDayBars(
  { page, typesetter, left, top, width, height }: ChartArea,
  days: readonly (readonly [day: string, amount: bigint])[],
  show: {
    readonly money: (amount: bigint) => string
    readonly day: (iso: string) => string
  },
): void {
  const amounts = days.map(([, amount]) => amount)
  const high = amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)
  const low = amounts.reduce((least, amount) => (amount < least ? amount : least), 0n)
  const span = Math.max(1, Number(high - low))
  const yOf = (amount: bigint): number => top + (Number(high - amount) / span) * height
  const start = left + LABEL_ROOM
  const numbers = days.map(([day]) => Date.parse(`${day}T00:00:00Z`) / DAY_MS)
  const first = numbers[0] ?? 0
  const step = (width - LABEL_ROOM) / ((numbers.at(-1) ?? first) - first + 1)
  const levels = [high, 0n, low].filter((level, index, all) => all.indexOf(level) === index)
  for (const level of levels) {
    const y = yOf(level)
    page.rule([start, y], [left + width, y], 0.5, level === 0n ? AXIS : GRID)
    // The lowest level has no label where it would cover that of the zero line. The figures have its amount.
    if (level < 0n && y - yOf(0n) < LABEL_SIZE * 1.3 && high > 0n) continue
    const label = typesetter.line(show.money(level))
    const x = start - 6 - (label.width * LABEL_SIZE) / 1000
    page.text(label, Math.max(left, x), y + LABEL_SIZE * 0.35, LABEL_SIZE, INK)
  }
  for (const [index, amount] of amounts.entries()) {
    const [y, zero] = [yOf(amount), yOf(0n)]
    const wide = Math.min(BAR_MAX, step * 0.8)
    const x = start + ((numbers[index] ?? first) - first + 0.5) * step - wide / 2
    const size = { width: wide, height: Math.abs(zero - y) }
    page.rectangle([x, Math.min(y, zero)], size, BAR)
  }
  const [from = '', to = ''] = [days[0]?.[0], days.at(-1)?.[0]]
  const below = top + height + LABEL_SIZE + 4
  page.text(typesetter.line(show.day(from)), start, below, LABEL_SIZE, INK)
  if (from === to) return
  const end = typesetter.line(show.day(to))
  page.text(end, left + width - (end.width * LABEL_SIZE) / 1000, below, LABEL_SIZE, INK)
}

/** Draws a bar for each category: its part of the whole. */
export function drawShareBars(
  { page, typesetter, left, top, width }: ChartArea,
  categories: readonly CategoryFigures[],
  room: number,
): void {
  const start = left + NAME_ROOM
  const full = width - NAME_ROOM
  for (const [index, { name, part, whole }] of categories.entries()) {
    const y = top + index * room
    const [label] = typesetter.lines(name, ((NAME_ROOM - 6) * 1000) / LABEL_SIZE)
    if (label) page.text(label, left, y + room * 0.6, LABEL_SIZE, INK)
    const share = whole === 0n ? 0 : Number(part) / Number(whole)
    page.rectangle([start, y + 2], { width: full, height: room - 6 }, TRACK)
    if (share > 0) page.rectangle([start, y + 2], { width: full * share, height: room - 6 }, BAR)
  }
}
