import { GatewayError, LIMITS } from '@counterfoil/common'
import type { RowFormat } from './cut-rows.ts'
import type { PieceWriter } from './piece-writer.ts'
import { scanCsvRecord } from './scan-csv-record.ts'

const { importedRowBytesMax: BYTES_MAX } = LIMITS

/** Creates the format of a CSV file with `columns` columns. It skips the header row. */
export function csvRows(columns: number, delimiter: string, writer: PieceWriter): RowFormat {
  const delimiterByte = delimiter.charCodeAt(0)
  let isHeader = true
  return {
    cut: (bytes, start, isLast) => {
      const record = scanCsvRecord(bytes, start, delimiterByte, isLast)
      if (record === undefined || record.fault !== undefined) return record
      const isEmptyLine = record.textEnd === start
      if (isEmptyLine || record.fields === columns) return record
      return { ...record, fault: `expected ${columns} columns, got ${record.fields}` }
    },
    write: (text, line, lastLine) => {
      if (!isHeader) writer.write(text, line, lastLine)
      isHeader = false
    },
  }
}

/**
 * Reads the column names in the header row of a CSV file.
 *
 * @throws {GatewayError} `ledger` if there is no header row, or a longer one than a row may be
 */
export async function readCsvHeader(
  path: string,
  chunks: AsyncIterable<Buffer>,
  delimiter: string,
): Promise<readonly string[]> {
  const delimiterByte = delimiter.charCodeAt(0)
  let bytes: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk])
    if (scanCsvRecord(bytes, 0, delimiterByte, false) !== undefined) break
    if (bytes.length > BYTES_MAX) {
      const expected = `expected a header row of at most ${BYTES_MAX / 1024} KiB`
      throw new GatewayError('ledger', `${path}:1: ${expected}`)
    }
  }
  const header = scanCsvRecord(bytes, 0, delimiterByte, true)
  if (!header?.textEnd || header.fault !== undefined) {
    throw new GatewayError('ledger', `${path}:1: expected a header row that names the columns`)
  }
  return splitFields(bytes.toString('utf8', 0, header.textEnd).replace(/^\u{feff}/u, ''), delimiter)
}

function splitFields(text: string, delimiter: string): readonly string[] {
  const field = new RegExp(`[${delimiter}]("(?:[^"]|"")*"|[^${delimiter}]*)`, 'g')
  return [...`${delimiter}${text}`.matchAll(field)].map(([, written = '']) => {
    return written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written
  })
}
