/** A value of a cell: money, ids, days and times are texts, counts are numbers, and a missing value is `null`. */
export type Cell = string | number | null

/** Splits the bytes of JSON lines, which may end anywhere, into rows. */
export interface JsonLines {
  /** Passes the rows that a chunk completes on, until `onRow` returns false. Returns whether it did not. */
  push(chunk: Uint8Array, onRow: (row: Readonly<Record<string, Cell>>) => boolean): boolean
}

/** Creates a splitter of JSON lines. The client compares the bytes with the gateway's digest, so a row is what it says. */
export function createJsonLines(): JsonLines {
  const decoder = new TextDecoder()
  let rest = ''
  return {
    push(chunk, onRow) {
      const text = rest + decoder.decode(chunk, { stream: true })
      let start = 0
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        const row = JSON.parse(text.slice(start, end)) as Readonly<Record<string, Cell>>
        start = end + 1
        if (!onRow(row)) return false
      }
      rest = text.slice(start)
      return true
    },
  }
}
