import { exponentOf, printedAmount } from '@counterfoil/engine'
import type { Format, SelectedColumn } from '../format/format.ts'
import { recordOf } from '../documents/records.ts'
import { totalFields } from '../documents/totals.ts'
import { checkRows } from './report/check-rows.ts'
import { planStatements } from './statement/plan-statement.ts'
import { writeReport } from './report/write-report.ts'
import { limitedField } from './limit-text.ts'

/** RFC 8118. */
const MEDIA_TYPE = 'application/pdf'

/** PDF (ISO 32000-1). The engine sends records, and this folder draws their pages. */
export const pdf: Format = {
  extension: 'pdf',
  mediaType: MEDIA_TYPE,
  encodings: ['UTF-8'],
  parameters: ['paper', 'decimalSeparator', 'dateFormat'],
  isDocument: true,
  needsExponents: true,
  plan: (file) => {
    const rowsMax = file.settings?.pdf.rowsMax ?? Number.POSITIVE_INFINITY
    const taggedMax = file.settings?.pdf.taggedRowsMax ?? Number.POSITIVE_INFINITY
    if (file.statement) {
      return {
        contentType: MEDIA_TYPE,
        ...planStatements(file, file.statement, rowsMax, taggedMax),
      }
    }
    let counted: number | undefined
    const { values, sums, exponents = new Map() } = file
    const field = (column: SelectedColumn, index: number): string => {
      if (column.kind !== 'money') return limitedField(column, values)
      const exponent = exponentOf(column.currencySql, exponents)
      return printedAmount(column.sql, `_amount${index}`, exponent, values.decimalSeparator)
    }
    const keys = sums?.by.map((column) => limitedField(column, values)) ?? []
    const totals = sums ? totalFields(keys, sums, exponents) : []
    return {
      contentType: MEDIA_TYPE,
      select: (columns) => recordOf([...columns.map(field), ...totals]),
      rows: 'texts',
      write: (chunks) => {
        // A note is about the figures. Without rows, there are none.
        const about = counted === 0 ? { ...file.about, note: undefined } : file.about
        return writeReport({ ...file, about }, chunks, rowsMax, (counted ?? 0) <= taggedMax)
      },
      check: checkRows(rowsMax, (rows) => {
        counted = rows
      }),
    }
  },
}
