import type { Cell } from './columns.ts'

/** A row of JSON lines. */
export type Row = Readonly<Record<string, Cell>>

/**
 * Creates a reader of JSON lines, whose chunks may end anywhere. It passes on the rows that a chunk completes until
 * `onRow` returns false, and returns whether it did not. The client compares the bytes with the gateway's digest, so a
 * row is what it says.
 */
export function createLineReader(): (chunk: Uint8Array, onRow: (row: Row) => boolean) => boolean {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk, onRow) => {
    const text = rest + decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const row = JSON.parse(text.slice(start, end)) as Row
      start = end + 1
      if (!onRow(row)) return false
    }
    rest = text.slice(start)
    return true
  }
}
