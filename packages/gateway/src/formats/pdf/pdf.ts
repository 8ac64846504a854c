import { printed } from '../../clickhouse/print-columns.ts'
import type { SelectedColumn } from '../columns.ts'
import type { Format } from '../format.ts'
import { recordOf } from '../records.ts'
import { chartFields } from './charts/chart-fields.ts'
import { checkRows } from './report/check-rows.ts'
import { planStatements } from './statement/plan-statement.ts'
import { writeReport } from './report/write-report.ts'
import { limitedField } from './text/limit-text.ts'

/** A limit that even a document without rows exceeds. */
const NOT_TAGGED = -1

/** PDF (ISO 32000-1). The engine sends records, and this folder draws their pages. */
export const pdf: Format = {
  extension: 'pdf',
  encodings: ['UTF-8'],
  parameters: ['paper', 'decimals', 'decimalSeparator', 'dateFormat'],
  isDocument: true,
  // A statement has as many fraction digits as its currency.
  needsExponents: true,
  plan: (file) => {
    const rowsMax = file.settings?.pdf.rowsMax ?? Number.POSITIVE_INFINITY
    const taggedMax = file.settings?.pdf.taggedRowsMax ?? Number.POSITIVE_INFINITY
    let counted = 0
    const check = checkRows(rowsMax, (rows) => {
      counted = rows
    })
    // Without a tag from the start, a large file takes no memory for tags that it drops.
    const taggedRowsMax = (): number => (counted > taggedMax ? NOT_TAGGED : taggedMax)
    if (file.statement) {
      return { ...planStatements(file, file.statement, rowsMax, taggedRowsMax), check }
    }
    const field = (column: SelectedColumn): string => limitedField(column, file.values)
    // Sums are read as decimals, whatever the style of amounts is.
    const sum = ({ kind, sql }: SelectedColumn): string => printed(kind, sql)
    const charts = (file.charts ?? []).flatMap(chartFields)
    const { by = [], columns: summed = [] } = file.sums ?? {}
    return {
      contentType: 'application/pdf',
      select: (columns) => {
        const fields = [...columns.map(field), ...by.map(field), ...summed.map(sum), ...charts]
        return recordOf(fields)
      },
      rows: 'texts',
      write: (chunks) => writeReport(file, chunks, rowsMax, taggedRowsMax()),
      check,
    }
  },
}
