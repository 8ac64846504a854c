import type { EngineChunk } from '@counterfoil/engine'
import { freeMemory, SLICE_BYTES, Turn } from '@counterfoil/common'

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

/** Yields the bytes of complete records: views of a chunk, whose memory is freed after its last record. */
export async function* completeRecords(
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<Buffer, void> {
  const turn = new Turn()
  const begun: Buffer[] = []
  for await (const { bytes } of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let start = 0
    if (begun.length > 0) {
      start = chunk.indexOf(RECORD_SEPARATOR) + 1
      if (start > 0) yield Buffer.concat([...begun.splice(0), chunk.subarray(0, start)])
    }
    while (start < chunk.length) {
      if (turn.isOver) await turn.next()
      const end = endOfRecords(chunk, start)
      if (end === 0) break
      yield chunk.subarray(start, end)
      start = end
    }
    if (start < chunk.length) begun.push(Buffer.from(chunk.subarray(start)))
    freeMemory(bytes)
  }
  if (begun.length > 0) throw new Error('The result ended inside a record.')
}

/** Returns where some records end: those of a slice, or else a longer record. Returns 0 if no record ends. */
function endOfRecords(chunk: Buffer, start: number): number {
  const end = chunk.lastIndexOf(RECORD_SEPARATOR, start + SLICE_BYTES - 1) + 1
  return end > start ? end : chunk.indexOf(RECORD_SEPARATOR, start) + 1
}

/** Reads records as lists of fields, one by one. Yields some complete records at a time. */
export async function* readRecords(
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<Iterable<readonly string[]>, void> {
  for await (const records of completeRecords(chunks)) yield recordsIn(records.toString())
}

/** Reads the first items until there are enough, and returns them with a reader of all. */
export async function lookAhead<T>(
  source: AsyncGenerator<T, void>,
  isEnough: (first: readonly T[]) => boolean,
): Promise<{ readonly first: readonly T[]; readonly all: AsyncGenerator<T, void> }> {
  const first: T[] = []
  while (!isEnough(first)) {
    const { value, done } = await source.next()
    if (done) break
    first.push(value)
  }
  const all = async function* () {
    try {
      yield* first
      yield* source
    } finally {
      await source.return()
    }
  }
  return { first, all: all() }
}

/** Copies a text that outlives its record: V8 keeps a part of a text as a reference to the whole. */
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
