import { printed } from '../../clickhouse/print-columns.ts'
import { isFreeText } from '../../column-kinds.ts'
import type { Format, SelectedColumn } from '../format.ts'
import { recordOf, withoutControls } from '../records.ts'
import { writeReport } from './report/write-report.ts'

/** PDF (ISO 32000-1). The engine sends records, and this folder draws their pages. */
export const pdf: Format = {
  extension: 'pdf',
  encodings: ['UTF-8'],
  parameters: ['paper', 'decimals', 'decimalSeparator', 'dateFormat'],
  plan: (file) => {
    const field = ({ kind, sql }: SelectedColumn): string => {
      const text = printed(kind, sql, file.values)
      return isFreeText(kind) ? withoutControls(text) : text
    }
    return {
      contentType: 'application/pdf',
      select: (columns) => [`${recordOf(columns.map(field))} AS _row`],
      engineFormat: 'RawBLOB',
      write: (chunks) => writeReport(file, chunks),
    }
  },
}
