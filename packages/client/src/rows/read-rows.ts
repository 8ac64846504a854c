import { createError } from '../errors/counterfoil-error.ts'
import type { OpenReport, ReportOutcome } from '../report/report.ts'
import { CsvParser, type Row, type RowParser, truncatedRows, unexpectedRows } from './csv-parser.ts'

/** How a CSV is written. */
export interface CsvForm {
  /** The character between two fields; by default a comma. */
  readonly delimiter?: string
  /** The encoding; by default UTF-8. */
  readonly charset?: string
}

/** The longest row that the reader collects. */
const ROW_CHARACTERS_MAX = 16 * 1024 * 1024
/** While a row is longer, the reader parses the text again only when the text has doubled. */
const PARSE_EVERY_CHUNK_MAX = 64 * 1024

/**
 * Reads the rows of a CSV with a header row, from any iterable of bytes. Every value is a text. Chunks may end anywhere,
 * and the memory does not grow with the file. If you leave the loop, it stops reading the bytes.
 *
 * @throws {CounterfoilError} `unexpected-body` if the header or a row is malformed, and `truncated` if the bytes end
 * inside a row. The rows before it have arrived then.
 * @example
 * const client = new CounterfoilClient({ endpoint, login, controlKey })
 * const { body } = await client.report('transactions-list')
 * const rows = await Array.fromAsync(readRows(body))
 * rows.length // 3
 */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter = ',', charset = 'utf-8' }: CsvForm = {},
): AsyncGenerator<Row, undefined, void> {
  for await (const batch of readBatches(chunks, new CsvParser(delimiter), charset)) {
    for (const row of batch) yield row
  }
}

/** Iterates over the rows of a report of JSON lines. The first `next` sends the request. */
export async function* requestRows(
  open: () => Promise<OpenReport>,
): AsyncGenerator<Row, undefined, void> {
  const { head, chunks, cancel } = await open()
  let outcome: ReportOutcome | undefined
  async function* proved() {
    outcome = yield* chunks
  }
  let count = 0
  try {
    for await (const batch of readBatches(proved(), jsonLinesParser())) {
      count += batch.length
      for (const row of batch) yield row
    }
  } finally {
    cancel()
  }
  if (outcome?.rows !== undefined && outcome.rows !== count) {
    const message = `the gateway sent ${outcome.rows} rows, but ${count} arrived`
    throw createError('digest-mismatch', message, { of: 'rows' }, { requestId: head.runId })
  }
}

/** Reads the rows that each chunk completes. */
async function* readBatches(
  chunks: AsyncIterable<Uint8Array>,
  parser: RowParser,
  charset = 'utf-8',
): AsyncGenerator<readonly Row[], void, void> {
  const decoder = attempt(
    () => new TextDecoder(charset, { fatal: true }),
    (cause) => unexpectedRows(`this runtime does not know the encoding ${charset}`, cause),
  )
  let pieces: string[] = []
  let length = 0
  let parseAt = 0
  for await (const chunk of chunks) {
    const piece = attempt(
      () => decoder.decode(chunk, { stream: true }),
      (cause) => unexpectedRows(`the bytes are not valid ${charset}`, cause),
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
      throw unexpectedRows(`a row has more than ${ROW_CHARACTERS_MAX} characters`)
    }
  }
  attempt(
    () => decoder.decode(),
    () => truncatedRows('a character'),
  )
  const rows: Row[] = []
  parser.end(pieces.join(''), rows)
  if (rows.length > 0) yield rows
}

function jsonLinesParser(): RowParser {
  let place = 1
  const parse: RowParser['parse'] = (text, rows) => {
    for (let start = 0; ; place += 1) {
      const end = text.indexOf('\n', start)
      if (end < 0) return start
      const row = attempt(
        (): Row => JSON.parse(text.slice(start, end)),
        (cause) => unexpectedRows(`row ${place} is not valid JSON`, cause),
      )
      rows.push(row)
      start = end + 1
    }
  }
  return {
    parse,
    end(text, rows) {
      if (parse(text, rows) < text.length) throw truncatedRows(`row ${place}`)
    },
  }
}

/** Returns the result of an action, or throws the fault that its error stands for. */
function attempt<T>(action: () => T, faultOf: (cause: unknown) => Error): T {
  try {
    return action()
  } catch (cause) {
    throw faultOf(cause)
  }
}
