import type { Row, RowParser } from './row.ts'
import type { RowFaults } from './row-faults.ts'

/** The longest row that the reader collects. */
const ROW_CHARACTERS_MAX = 16 * 1024 * 1024
/** While a row is longer, the reader parses the text again only when the text has doubled. */
const PARSE_EVERY_CHUNK_MAX = 64 * 1024

/** The bytes of a report, and the parser of their text. */
export interface RowSource {
  readonly chunks: AsyncIterable<Uint8Array>
  /** The name of the encoding, such as `utf-8`. */
  readonly charset: string
  readonly parser: RowParser
  readonly faults: RowFaults
}

/**
 * Reads the rows of a report, and yields the rows that each chunk completes. Chunks may end anywhere.
 *
 * @throws {UnexpectedBody} If the report does not hold the rows that it should.
 * @throws {Truncated} If the report ends inside a row.
 */
export async function* readBatches({
  chunks,
  charset,
  parser,
  faults,
}: RowSource): AsyncGenerator<readonly Row[], void, void> {
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
      (cause) => faults.unexpected(`the report is not valid ${charset}`, cause),
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
