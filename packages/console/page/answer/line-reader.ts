import type { Cell } from './sums.ts'

type Row = Readonly<Record<string, Cell>>

/**
 * Creates a reader of JSON lines, whose chunks may end anywhere. It passes on the rows that a chunk completes until
 * `onRow` returns false, and returns whether it did not. The client compares the bytes with the gateway's digest, so a
 * row is what it says.
 */
export function createLineReader(): (chunk: Uint8Array, onRow: (row: Row) => boolean) => boolean {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk, onRow) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return lines.every((line) => onRow(JSON.parse(line) as Row))
  }
}
