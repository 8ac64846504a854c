import { CsvParser } from './csv-parser.ts'
import { JsonLinesParser } from './json-lines-parser.ts'
import { readBatches } from './read-batches.ts'
import type { Row, RowColumn, RowParser } from './row.ts'
import { faultsOf, type RowFaults } from './row-faults.ts'
import { RowIterator } from './row-iterator.ts'

/** The form of a report's bytes. */
export type RowForm =
  | {
      readonly format?: 'CSV'
      /** The character between two fields; by default a comma. */
      readonly delimiter?: string
      /**
       * The columns that the header must name, in their order. Days must be `YYYY-MM-DD`, and times in UTC. Without
       * columns, the header names them, and every value is a text.
       */
      readonly columns?: readonly RowColumn[]
      /** The encoding; by default UTF-8. */
      readonly charset?: string
    }
  | {
      readonly format: 'JSONL'
      /** The columns that every row must have, in their order. */
      readonly columns: readonly RowColumn[]
    }

/**
 * Reads rows from the bytes of a report: from a body or from a file. Chunks may end anywhere, and the memory does not
 * grow with the report. If you leave the loop, it stops reading the bytes.
 *
 * @throws {CounterfoilError} `UnexpectedBody` if the header or a row is not as it should be, and `Truncated` if the
 * bytes end inside a row. The rows before it have arrived then.
 * @example
 * const client = new CounterfoilClient({ endpoint, login, controlKey })
 * const { body } = await client.report('transactions-list')
 * const rows = await Array.fromAsync(readRows(body))
 * rows.length // 3
 */
export function readRows(
  chunks: AsyncIterable<Uint8Array>,
  form: RowForm = {},
): AsyncIterableIterator<Row, undefined, void> {
  return new RowIterator(readRowBatches(chunks, form))
}

/** Reads the rows that each chunk completes: see `readRows`. */
export function readRowBatches(
  chunks: AsyncIterable<Uint8Array>,
  form: RowForm,
  requestId?: string,
): AsyncGenerator<readonly Row[], void, void> {
  const faults = faultsOf(requestId)
  const charset = form.format === 'JSONL' ? undefined : form.charset
  return readBatches({
    chunks,
    charset: charset ?? 'utf-8',
    parser: parserOf(form, faults),
    faults,
  })
}

function parserOf(form: RowForm, faults: RowFaults): RowParser {
  if (form.format === 'JSONL') return new JsonLinesParser(form.columns, faults)
  const { delimiter = ',', columns } = form
  return new CsvParser({ delimiter, columns }, faults)
}
