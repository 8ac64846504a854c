/** A record of a CSV file. */
interface StrictRecord {
  readonly fields: readonly string[]
  /** Whether each of its fields is in quotes. */
  readonly isQuoted: boolean
}

/** A CSV file and its faults by RFC 4180. Records are counted from 1. */
export interface StrictCsv {
  readonly records: readonly StrictRecord[]
  /**
   * The first record with a quote inside a field, text after a quote, or a quote that nothing closes. `records` ends
   * before it.
   */
  readonly badQuote?: number
  /** The first record that ends in something other than CRLF. */
  readonly otherLineEnd?: number
}

const LINE_END = /\r\n|\r|\n/g

/** Parses CSV strictly by RFC 4180, section 2. */
export function parseStrictCsv(text: string, delimiter: string): StrictCsv {
  // Each pair of quotes becomes one quote. So a field in quotes is a row of quotes, one more for each quote inside.
  const inQuotes = text.match(/"[^"]*"/g) ?? []
  const masked = text.replaceAll(/"[^"]*"/g, '"')
  const lines = masked.split(LINE_END)
  // The last record may end without a line end (2.2).
  if (lines.at(-1) === '') lines.pop()
  let used = 0
  const read = (field: string): string => {
    if (!field.includes('"')) return field
    const parts = inQuotes.slice(used, (used += field.length))
    return parts.join('').slice(1, -1).replaceAll('""', '"')
  }
  const rows = lines.map((line) => line.split(delimiter))
  const isBad = (fields: readonly string[]) => fields.some((field) => !/^(?:"+|[^"]*)$/.test(field))
  const isOpen = text.split('"').length % 2 === 0
  const opened = isOpen
    ? rows.findLastIndex((fields) => fields.some((each) => each.includes('"')))
    : -1
  const bad = rows.findIndex((fields, at) => isBad(fields) || at === opened)
  const records = rows.slice(0, bad === -1 ? rows.length : bad).map((fields) => ({
    fields: fields.map(read),
    isQuoted: fields.every((field) => field.startsWith('"')),
  }))
  const ends = masked.match(LINE_END)?.slice(0, records.length) ?? []
  const other = ends.findIndex((end) => end !== '\r\n')
  return {
    records,
    ...(bad !== -1 && { badQuote: bad + 1 }),
    ...(other !== -1 && { otherLineEnd: other + 1 }),
  }
}
