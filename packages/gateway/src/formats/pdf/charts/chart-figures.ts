import { readAmount } from '../../exact-amounts.ts'
import type { FileChart } from '../../layouts.ts'
import { ownText } from '../../records.ts'
import { limitText } from '../text/limit-text.ts'

/** The amounts of the days of one currency, in ten-thousandths. */
export interface DayFigures {
  readonly currency: string
  /** By day: `2026-10-31`. */
  readonly days: ReadonlyMap<string, bigint>
  /** The amount of the days that are too many to draw. */
  readonly otherDays: bigint
}

/** A category, and its part of a whole. */
export interface CategoryFigures {
  readonly name: string
  readonly part: bigint
  readonly whole: bigint
}

/** The figures of a chart. */
export type ChartFigures =
  | {
      readonly chart: 'days'
      readonly currencies: readonly DayFigures[]
      /** How many rows have a currency that is one too many. Amounts of several currencies have no sum. */
      readonly otherRows: number
    }
  | { readonly chart: 'approval' | 'shares'; readonly categories: readonly CategoryFigures[] }

/** Gathers the figures of a chart from its fields of each row. */
export interface ChartCounter {
  readonly add: (fields: readonly string[]) => void
  readonly figures: () => ChartFigures
}

// Memory does not grow with the rows: days and categories above these numbers become others.
const CURRENCIES_MAX = 16
const DAYS_MAX = 400
const CATEGORIES_MAX = 16
/** A chart has room for the beginning of a longer name. */
const NAME_LENGTH_MAX = 60
const OTHER = 'Other'
const NONE = '(none)'

/** The statuses of payments that were decided. The others are still open. */
const DECIDED = ['approved', 'declined', 'filtered', 'error']

/** Returns a counter for a chart. */
export function chartCounter({ chart }: FileChart): ChartCounter {
  return COUNTERS[chart]()
}

const COUNTERS: Readonly<Record<FileChart['chart'], () => ChartCounter>> = {
  days: countDays,
  approval: () => {
    const categories = new Categories()
    return {
      add: ([name = '', status = '', count = '']) => {
        if (!DECIDED.includes(status)) return
        const decided = BigInt(count || '0')
        categories.add(name, status === 'approved' ? decided : 0n, decided)
      },
      figures: () => ({ chart: 'approval', categories: categories.list() }),
    }
  },
  shares: () => {
    const categories = new Categories()
    let all = 0n
    return {
      add: ([name = '', count = '']) => {
        all += BigInt(count || '0')
        categories.add(name, BigInt(count || '0'), 0n)
      },
      figures: () => ({
        chart: 'shares',
        categories: categories.list().map((category) => ({ ...category, whole: all })),
      }),
    }
  },
}

function countDays(): ChartCounter {
  const currencies = new Map<string, { days: Map<string, bigint>; otherDays: bigint }>()
  let otherRows = 0
  return {
    add: ([day = '', currency = '', amount = '']) => {
      let known = currencies.get(currency)
      if (!known) {
        if (currencies.size >= CURRENCIES_MAX) {
          otherRows += 1
          return
        }
        known = { days: new Map(), otherDays: 0n }
        currencies.set(ownText(currency), known)
      }
      const value = readAmount(amount)
      const before = known.days.get(day)
      if (day === '' || (before === undefined && known.days.size >= DAYS_MAX)) {
        known.otherDays += value
      } else {
        known.days.set(before === undefined ? ownText(day) : day, (before ?? 0n) + value)
      }
    },
    figures: () => ({
      chart: 'days',
      currencies: [...currencies]
        .map(([currency, { days, otherDays }]) => {
          return { currency: limitText(currency, NAME_LENGTH_MAX), days, otherDays }
        })
        .toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
      otherRows,
    }),
  }
}

/** Sums by category. Categories that are too many become one, which comes last. */
class Categories {
  readonly #sums = new Map<string, { part: bigint; whole: bigint }>()
  readonly #others = { part: 0n, whole: 0n }
  #hasOthers = false

  add(name: string, part: bigint, whole: bigint): void {
    let sums = this.#sums.get(name)
    if (!sums && this.#sums.size < CATEGORIES_MAX) {
      sums = { part: 0n, whole: 0n }
      this.#sums.set(ownText(name), sums)
    }
    this.#hasOthers ||= sums === undefined
    const target = sums ?? this.#others
    target.part += part
    target.whole += whole
  }

  list(): readonly CategoryFigures[] {
    const listed = [...this.#sums]
      .map(([name, sums]) => ({ name: limitText(name, NAME_LENGTH_MAX) || NONE, ...sums }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return this.#hasOthers ? [...listed, { name: OTHER, ...this.#others }] : listed
  }
}
