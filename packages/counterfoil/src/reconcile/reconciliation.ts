import {
  type Agreement,
  DIFFERENCE_KINDS,
  type Difference,
  type DifferenceKind,
} from './compare-orders.ts'

/** How many orders of each kind a summary lists. */
const LISTED = 10

/** The result of a comparison: its counts, and the first differences of each kind. */
export class Reconciliation {
  readonly agreement: Agreement = { agree: 0, unpaidInOrdersOnly: 0, withoutPaymentInReportOnly: 0 }
  readonly #counts = new Map<DifferenceKind, number>()
  readonly #first = new Map<DifferenceKind, Difference[]>()
  differ = 0

  add(differences: readonly Difference[]): void {
    this.differ += differences.length
    for (const kind of DIFFERENCE_KINDS) {
      const own = differences.filter(({ kinds }) => kinds.includes(kind))
      this.#counts.set(kind, this.count(kind) + own.length)
      this.#first.set(kind, [...this.first(kind), ...own].toSorted(byLine).slice(0, LISTED))
    }
  }

  count(kind: DifferenceKind): number {
    return this.#counts.get(kind) ?? 0
  }

  /** Returns the first differences of a kind in the order of the shop's file, or else of the report. */
  first(kind: DifferenceKind): readonly Difference[] {
    return this.#first.get(kind) ?? []
  }
}

function byLine(one: Difference, other: Difference): number {
  return lineOf(one) - lineOf(other)
}

function lineOf({ orders, report }: Difference): number {
  return (orders ?? report)?.line ?? 0
}
