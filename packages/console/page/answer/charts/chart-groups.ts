import { texts } from '../../texts.ts'
import { LIMITS } from '../limits.ts'
import { parseDecimal } from '@counterfoil/protocol'
import type { Cell } from '../table/json-lines.ts'
import type { ChartPlan } from './chart-plan.ts'

/** Rows with the same values in the columns that separate them. */
export interface ChartGroup {
  /** The values by the names of their columns. */
  readonly values: Readonly<Record<string, string>>
  rows: number
  /** The exact sums by the names of their columns. */
  readonly sums: Record<string, bigint>
}

/** The groups of a complete report. */
export interface ChartGroups {
  add(row: Readonly<Record<string, Cell>>): void
  /** The groups that are separated by `column` too, if it is not one of the plan's `by`. */
  by(column: string): readonly ChartGroup[]
}

/**
 * Creates groups without rows. Each other column separates groups of its own: together they would make as many groups
 * as there are rows.
 */
export function createChartGroups(plan: ChartPlan): ChartGroups {
  const { by, currency, others, measures } = plan
  const separating = currency === undefined ? by : [...by, currency]
  const summed = measures.flatMap(({ kind, column }) => {
    return column !== undefined && kind !== 'share' ? [column] : []
  })
  const sets = new Map(
    (others.length > 0 ? others : ['']).map((name) => [name, new Map<string, ChartGroup>()]),
  )
  let count = 0

  const groupOf = (
    groups: Map<string, ChartGroup>,
    names: readonly string[],
    key: readonly string[],
  ) => {
    const id = JSON.stringify(key)
    const known = groups.get(id)
    if (known) return known
    count += 1
    if (count > LIMITS.chartGroups) throw new Error(texts.answer.tooManyGroups(LIMITS.chartGroups))
    const values = Object.fromEntries(names.map((name, index) => [name, key[index] ?? '']))
    const sums = Object.fromEntries(summed.map((name) => [name, 0n]))
    const group: ChartGroup = { values, rows: 0, sums }
    groups.set(id, group)
    return group
  }
  return {
    add(row) {
      const amounts = summed.map((name) => parseDecimal(String(row[name] ?? '')) ?? 0n)
      for (const [other, groups] of sets) {
        const names = other === '' ? separating : [...separating, other]
        // Only the day of a time: it is the day in the report's time zone.
        const key = names.map((name) => valueOf(row[name], plan.days.has(name)))
        const group = groupOf(groups, names, key)
        group.rows += 1
        for (const [index, name] of summed.entries()) {
          group.sums[name] = (group.sums[name] ?? 0n) + (amounts[index] ?? 0n)
        }
      }
    },
    by(column) {
      const groups = sets.get(column) ?? [...sets.values()][0]
      return [...(groups?.values() ?? [])]
    },
  }
}

function valueOf(cell: Cell | undefined, isDay: boolean): string {
  const text = String(cell ?? '')
  return isDay ? text.slice(0, 10) : text
}
