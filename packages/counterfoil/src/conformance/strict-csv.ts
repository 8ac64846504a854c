/** A record of a CSV file. */
interface StrictRecord {
  readonly fields: readonly string[]
  /** Whether each of its fields is in quotes. */
  readonly isQuoted: boolean
  /** What ends it. The last record may end without a line end (RFC 4180, 2.2). */
  readonly end: string
}

/** A CSV file. */
export interface StrictCsv {
  readonly records: readonly StrictRecord[]
  /** Whether no quote is inside a field without quotes, before text, or without a second one. `records` ends before it. */
  readonly isWellFormed: boolean
}

/** Parses CSV strictly by RFC 4180, section 2. */
export function parseStrictCsv(text: string, delimiter: string): StrictCsv {
  const plain = `[^"\r\n${delimiter}]*`
  const field = new RegExp(`("(?:[^"]+|"")*"|${plain})(${delimiter}|\r\n|[\r\n]|$)`, 'y')
  const records: StrictRecord[] = []
  let raw: string[] = []
  for (let end: string | undefined = ''; field.lastIndex < text.length || end === delimiter; ) {
    const [, found = ''] = ([, , end] = field.exec(text) ?? [])
    if (end === undefined) return { records, isWellFormed: false }
    raw.push(found)
    if (end === delimiter) continue
    const fields = raw.map((each) => each.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"'))
    records.push({ fields, isQuoted: raw.every((each) => each.startsWith('"')), end })
    raw = []
  }
  return { records, isWellFormed: true }
}
