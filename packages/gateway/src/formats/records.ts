import type { EngineChunk } from '../engine/engine.ts'

// The control characters that ASCII has for this purpose. A free text has none: `withoutControls`.
const UNIT_SEPARATOR = '\x1f'
const RECORD_SEPARATOR = '\x1e'

/** The SQL of a record: the texts of its fields, which have no control characters. */
export function recordOf(fields: readonly string[]): string {
  return `concat(${fields.join(String.raw`, '\x1f', `)}, '\x1e')`
}

/** The SQL of a text whose control characters become spaces, except tab and line feed. A CR LF becomes a line feed. */
export function withoutControls(text: string): string {
  const oneLineEnd = String.raw`replaceRegexpAll(${text}, '\\r\\n?', '\n')`
  return String.raw`replaceRegexpAll(${oneLineEnd}, '[\\x00-\\x08\\x0b-\\x1f\\x7f]', ' ')`
}

/**
 * Reads records. Yields the complete records of each chunk, which are lists of fields and are read one by one. A chunk
 * may end inside a record.
 *
 * @throws an Error if the last record is incomplete
 */
export async function* readRecords(
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<Iterable<readonly string[]>, void> {
  let rest = Buffer.alloc(0)
  for await (const { bytes } of chunks) {
    const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : Buffer.from(bytes)
    const end = all.lastIndexOf(RECORD_SEPARATOR)
    rest = all.subarray(end + 1)
    if (end < 0) continue
    yield recordsIn(all.toString('utf8', 0, end + 1))
  }
  if (rest.length > 0) throw new Error('The result ended inside a record.')
}

/**
 * Copies a text that outlives its record. The engine of JavaScript keeps a part of a text as a reference to the whole,
 * so a field of a record would keep the memory of its chunk.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** The records of a text, one by one: a list of them would take ten times the memory of the text. */
function* recordsIn(text: string): Generator<readonly string[], void> {
  let start = 0
  while (start < text.length) {
    const end = text.indexOf(RECORD_SEPARATOR, start)
    yield text.slice(start, end).split(UNIT_SEPARATOR)
    start = end + 1
  }
}
