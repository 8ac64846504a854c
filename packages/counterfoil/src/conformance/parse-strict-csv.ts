/** A record of a CSV file. */
export interface StrictRecord {
  readonly fields: readonly string[]
  /** Whether each of its fields is in quotes. */
  readonly isQuoted: boolean
}

/** A CSV file and its faults by RFC 4180. */
export interface StrictCsv {
  readonly records: readonly StrictRecord[]
  /** The first fault of a quote, with the record counted from 1. The file is not read any further. */
  readonly quoteFault?: string
  /** The first record that ends in something other than CRLF, counted from 1. */
  readonly otherLineEnd?: number
}

const QUOTE = '"'
const LINE_ENDS = ['\r\n', '\r', '\n']

/** Parses CSV strictly by RFC 4180, section 2. */
export function parseStrictCsv(text: string, delimiter: string): StrictCsv {
  const records: StrictRecord[] = []
  let otherLineEnd: number | undefined
  const result = (quoteFault?: string): StrictCsv => ({
    records,
    ...(quoteFault !== undefined && { quoteFault: `record ${records.length + 1}: ${quoteFault}` }),
    ...(otherLineEnd !== undefined && { otherLineEnd }),
  })
  let at = 0
  while (at < text.length) {
    const fields: string[] = []
    let isQuoted = true
    for (;;) {
      const isOpened = text[at] === QUOTE
      const end = isOpened ? closingQuote(text, at) : endOfBare(text, at, delimiter)
      if (end === -1) return result('a quote that nothing closes')
      fields.push(isOpened ? text.slice(at + 1, end).replaceAll('""', QUOTE) : text.slice(at, end))
      isQuoted &&= isOpened
      at = isOpened ? end + 1 : end
      if (text[at] !== delimiter) break
      at += 1
    }
    const lineEnd = LINE_ENDS.find((each) => text.startsWith(each, at)) ?? ''
    if (lineEnd === '' && at < text.length) {
      return result('a quote inside a field, or text after a closing quote')
    }
    records.push({ fields, isQuoted })
    // The last record may end without a line end (2.2).
    if (lineEnd !== '\r\n' && lineEnd !== '') otherLineEnd ??= records.length
    at += lineEnd.length
  }
  return result()
}

/** Finds the quote that closes a field. A doubled quote does not. */
function closingQuote(text: string, open: number): number {
  let quote = text.indexOf(QUOTE, open + 1)
  while (quote !== -1 && text[quote + 1] === QUOTE) quote = text.indexOf(QUOTE, quote + 2)
  return quote
}

/** Finds the end of a field without quotes: a delimiter, a line end, or a quote, which it may not hold. */
function endOfBare(text: string, start: number, delimiter: string): number {
  let end = start
  while (end < text.length && ![delimiter, QUOTE, '\r', '\n'].includes(text[end] ?? '')) end += 1
  return end
}
