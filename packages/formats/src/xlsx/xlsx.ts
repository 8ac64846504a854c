import { fieldProblem } from '@counterfoil/common'
import type { Format } from '../format/format.ts'
import { recordOfRow } from './record-of-row.ts'
import { writeWorkbook } from './write-workbook.ts'

const MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const COLUMNS_MAX = 16_384

/**
 * XLSX (ECMA-376), for Excel and LibreOffice. The engine writes the XML of each row. The gateway counts and sums the
 * rows, and writes the archive.
 */
export const xlsx: Format = {
  extension: 'xlsx',
  mediaType: MEDIA_TYPE,
  encodings: ['UTF-8'],
  parameters: ['dateFormat'],
  isDocument: true,
  needsExponents: true,
  plan: (file) => {
    if (file.columns.length > COLUMNS_MAX) {
      const expected = `at most ${COLUMNS_MAX} columns for XLSX, got ${file.columns.length}`
      throw fieldProblem('invalid-parameter', [{ pointer: '/outputReportParameters', expected }])
    }
    return {
      contentType: MEDIA_TYPE,
      select: (columns) => recordOfRow(columns, file),
      rows: 'texts',
      // A chunk of 1,024 rows fits into the processor's cache, and takes less memory.
      settings: { max_block_size: 1024 },
      write: (chunks) => writeWorkbook(file, chunks),
    }
  },
}
