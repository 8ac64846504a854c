import type { Described } from '../table/columns.ts'

/** What the charts of a report are made from. All names are columns. */
export interface ChartPlan {
  /** The columns that the report separates its totals by, without the currency. */
  readonly by: readonly string[]
  /** The currency of all amounts. */
  readonly currency: string | undefined
  /** Columns of days or times, and texts of a report that is no list. Each may group a chart. */
  readonly others: readonly string[]
  /** Those of `others` that hold days or times. */
  readonly days: ReadonlySet<string>
  /** What a chart may show. */
  readonly measures: readonly Measure[]
  /** The columns to ask for. */
  readonly columns: readonly string[]
}

/** What a chart shows: a sum of amounts or of counts, the number of rows, or the share of approved payments. */
export interface Measure {
  readonly kind: 'money' | 'count' | 'rows' | 'share'
  /** The summed column. Of a share: the column that counts, if the report has one. */
  readonly column?: string | undefined
}

/** The column whose values are statuses of payments. */
export const STATUS = 'Status'

/** The column that counts payments, in reports whose rows stand for several. */
const COUNT = 'Count'

/** Decides what the charts of a report can show, by its declared totals and the kinds of its columns. */
export function planCharts(report: Described): ChartPlan {
  const { columns, totals = { by: [], columns: [] } } = report
  const kindOf = (name: string) => columns.find((column) => column.name === name)?.kind
  const currency = totals.by.find((name) => /(?:^|_)currency$/i.test(name))
  const by = totals.by.filter((name) => name !== currency)
  // Rows of a list stand for one event each, and have texts of their own.
  const isList = report.inputReportParameters.some(({ name }) => name === 'changedSince')
  const usual = columns.filter(({ optional }) => !optional)
  const days = usual
    .filter(({ kind }) => kind === 'date' || kind === 'time')
    .map(({ name }) => name)
  const texts = usual.filter(({ kind, name }) => kind === 'text' && !totals.by.includes(name))
  const others = isList ? days : [...days, ...texts.map(({ name }) => name)]
  const summed = totals.columns.flatMap((column): Measure[] => {
    const kind = kindOf(column)
    if (kind === 'money') return [{ kind, column }]
    return kind === 'integer' ? [{ kind: 'count', column }] : []
  })
  const counted = totals.columns.includes(COUNT) ? COUNT : undefined
  const hasShare = by.includes(STATUS) && (isList || counted !== undefined)
  const measures: Measure[] = [
    ...summed,
    ...(isList ? [{ kind: 'rows' } as const] : []),
    ...(hasShare ? [{ kind: 'share', column: counted } as const] : []),
  ]
  const sums = summed.map(({ column = '' }) => column)
  const asked = [...totals.by, ...others, ...sums]
  return { by, currency, others, days: new Set(days), measures, columns: [...new Set(asked)] }
}
