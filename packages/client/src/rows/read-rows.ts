import { CsvParser } from './csv-parser.ts'
import { JsonLinesParser } from './json-lines-parser.ts'
import { faultsOf, type Row, type RowColumn, type RowFaults, type RowParser } from './row.ts'

/** The longest row that the reader collects. */
const ROW_CHARACTERS_MAX = 16 * 1024 * 1024
/** While a row is longer, the reader parses the text again only when the text has doubled. */
const PARSE_EVERY_CHUNK_MAX = 64 * 1024

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
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  form: RowForm = {},
): AsyncGenerator<Row, undefined, void> {
  for await (const batch of readBatches(chunks, form)) {
    for (const row of batch) yield row
  }
}

/** Reads the rows that each chunk completes: see `readRows`. */
export async function* readBatches(
  chunks: AsyncIterable<Uint8Array>,
  form: RowForm,
  requestId?: string,
): AsyncGenerator<readonly Row[], void, void> {
  const faults = faultsOf(requestId)
  const parser = parserOf(form, faults)
  const charset = (form.format === 'JSONL' ? undefined : form.charset) ?? 'utf-8'
  const decoder = attempt(
    () => new TextDecoder(charset, { fatal: true }),
    (cause) => faults.unexpected(`this runtime does not know the encoding ${charset}`, cause),
  )
  let pieces: string[] = []
  let length = 0
  let parseAt = 0
  for await (const chunk of chunks) {
    const piece = attempt(
      () => decoder.decode(chunk, { stream: true }),
      (cause) => faults.unexpected(`the bytes are not valid ${charset}`, cause),
    )
    pieces.push(piece)
    length += piece.length
    if (length < parseAt) continue

    // `join` makes one flat text. A text from `+` is a tree, in which every search takes longer.
    const text = pieces.join('')
    const rows: Row[] = []
    try {
      const rest = text.slice(parser.parse(text, rows))
      pieces = [rest]
      length = rest.length
      parseAt = length > PARSE_EVERY_CHUNK_MAX ? 2 * length : 0
    } finally {
      // Also the rows before a malformed one.
      if (rows.length > 0) yield rows
    }
    if (length > ROW_CHARACTERS_MAX) {
      throw faults.unexpected(`a row has more than ${ROW_CHARACTERS_MAX} characters`)
    }
  }
  attempt(
    () => decoder.decode(),
    () => faults.truncated('a character'),
  )
  const rows: Row[] = []
  parser.end(pieces.join(''), rows)
  if (rows.length > 0) yield rows
}

/** Returns the result of an action, or throws the fault that its error stands for. */
function attempt<T>(action: () => T, faultOf: (cause: unknown) => Error): T {
  try {
    return action()
  } catch (cause) {
    throw faultOf(cause)
  }
}

function parserOf(form: RowForm, faults: RowFaults): RowParser {
  if (form.format === 'JSONL') return new JsonLinesParser(form.columns, faults)
  const { delimiter = ',', columns } = form
  return new CsvParser({ delimiter, columns }, faults)
}
