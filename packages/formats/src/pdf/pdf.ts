import type { Format } from '../format/format.ts'
import { planReport } from './report/write-report.ts'
import { planStatements } from './statement/write-statements.ts'

/** RFC 8118. */
const MEDIA_TYPE = 'application/pdf'

const NO_LIMITS = { rowsMax: Number.POSITIVE_INFINITY, taggedRowsMax: Number.POSITIVE_INFINITY }

/** PDF (ISO 32000-1). The engine sends records, and this folder draws their pages. */
export const pdf: Format = {
  extension: 'pdf',
  mediaType: MEDIA_TYPE,
  encodings: ['UTF-8'],
  parameters: ['paper', 'decimalSeparator', 'dateFormat'],
  isDocument: true,
  needsExponents: true,
  plan: (file) => {
    const limits = file.settings?.pdf ?? NO_LIMITS
    const plan = file.statement
      ? planStatements(file, file.statement, limits)
      : planReport(file, limits)
    return { contentType: MEDIA_TYPE, rows: 'texts', ...plan }
  },
}
