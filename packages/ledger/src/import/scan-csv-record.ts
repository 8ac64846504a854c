import { type CutRow, countLines } from './cut-rows.ts'

const LF = 10
const CR = 13
const QUOTE = 34

/** A record of a CSV file. */
export interface CsvRecord extends CutRow {
  /** How many fields it has. */
  readonly fields: number
}

/**
 * Finds the end of the record that starts at `start` (RFC 4180, with CR LF or LF). A field that begins with a quote may
 * hold delimiters, line ends and doubled quotes. A record with a wrong quote or line end goes on to the end of the line
 * with the fault.
 *
 * @returns the record, or `undefined` if it does not end in `bytes` and more bytes follow
 */
export function scanCsvRecord(
  bytes: Uint8Array,
  start: number,
  delimiter: number,
  isLast: boolean,
): CsvRecord | undefined {
  const { length } = bytes
  let fields = 1
  let lines = 1
  let at = start
  for (;;) {
    if (bytes[at] === QUOTE) {
      at += 1
      while (at < length && (bytes[at] !== QUOTE || bytes[at + 1] === QUOTE)) {
        if (bytes[at] === LF) lines += 1
        at += bytes[at] === QUOTE ? 2 : 1
      }
      // The next byte may double this quote.
      if (at + 1 >= length && !isLast) return undefined
      if (at >= length) return broken(bytes, start, length, 'expected a closing quote', isLast)
      at += 1
      if (at < length && !endsField(bytes[at], delimiter)) {
        const expected = 'expected a delimiter or a line end after a closing quote'
        return broken(bytes, start, at, expected, isLast)
      }
    } else {
      while (at < length && !endsField(bytes[at], delimiter)) at += 1
    }
    if (at === length) return isLast ? { textEnd: at, end: at, lines, fields } : undefined
    if (bytes[at] === LF) return { textEnd: at, end: at + 1, lines, fields }
    if (bytes[at] === CR) {
      if (at + 1 === length && !isLast) return undefined
      if (bytes[at + 1] === LF) return { textEnd: at, end: at + 2, lines, fields }
      return broken(bytes, start, at, 'expected an LF after a CR outside of quotes', isLast)
    }
    fields += 1
    at += 1
  }
}

function endsField(byte: number | undefined, delimiter: number): boolean {
  return byte === delimiter || byte === LF || byte === CR
}

function broken(
  bytes: Uint8Array,
  start: number,
  from: number,
  fault: string,
  isLast: boolean,
): CsvRecord | undefined {
  const lineEnd = bytes.indexOf(LF, from)
  if (lineEnd === -1 && !isLast) return undefined
  const end = lineEnd === -1 ? bytes.length : lineEnd + 1
  const lines = countLines(bytes.subarray(start, end)) + (lineEnd === -1 ? 1 : 0)
  return { textEnd: end, end, lines, fields: 0, fault }
}
