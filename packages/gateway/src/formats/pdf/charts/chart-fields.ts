import { printed, printedExactly } from '../../../clickhouse/print-columns.ts'
import { PLAIN_STYLE } from '../../../column-kinds.ts'
import type { FileChart, LayoutColumn } from '../../layouts.ts'
import { limitedField } from '../text/limit-text.ts'

const ISO_DAYS = { ...PLAIN_STYLE, dateFormat: 'ISO' } as const
const DAY_LENGTH = 10

/** Returns the SQL of the fields that a chart reads of each row. */
export function chartFields(chart: FileChart): readonly string[] {
  const count = (column: LayoutColumn | undefined): string => {
    return column ? printedExactly(column.sql) : `'1'`
  }
  if (chart.chart === 'days') {
    const { day, amount, currency } = chart
    const isoDay = `substring(${printed(day.kind, day.sql, ISO_DAYS)}, 1, ${DAY_LENGTH})`
    return [isoDay, limitedField(currency), printedExactly(amount.sql)]
  }
  if (chart.chart === 'approval')
    return [limitedField(chart.by), limitedField(chart.status), count(chart.count)]
  return [limitedField(chart.by), count(chart.count)]
}
