import { hash } from 'node:crypto'
import { FILTER_NAMES, HEADERS, parseReprDigest } from '@counterfoil/protocol'
import {
  expects,
  find,
  isReport,
  type Judge,
  mediaTypeOf,
  onReport,
  shown,
  type Subject,
} from '../check.ts'

/** Judges the records of a report that is CSV in UTF-8. `faultOf` returns what is wrong. */
const onCsv = (expected: string, faultOf: (csv: StrictCsv) => string | undefined): Judge => {
  return onReport((answer) => {
    const text = decode(answer.body)
    if (text === undefined) return find(false, 'a report in UTF-8', answer)
    const got = faultOf(parseStrictCsv(text, ','))
    return got === undefined ? undefined : { expected, got }
  })
}

const WELL_FORMED = onCsv('well-formed quotes', ({ isWellFormed, records }) => {
  return isWellFormed ? undefined : `a wrong quote in row ${records.length + 1}`
})

const TITLES = onCsv('unique titles that are neither empty nor numbers or dates', ({ records }) => {
  const titles = records[0]?.fields ?? []
  const isUnique = titles.length > 0 && new Set(titles).size === titles.length
  const isRight = isUnique && titles.every((title) => /[^\d\s.,:+-]/.test(title))
  return isRight ? undefined : shown(titles.join(', ')) || 'no header row'
})

/** Judges each record, with the header row. */
const eachRecord = (
  expected: string,
  isRight: (record: StrictRecord, header: readonly string[]) => boolean,
): Judge => {
  return onCsv(expected, ({ records }) => {
    const other = records.findIndex((record) => !isRight(record, records[0]?.fields ?? []))
    return other === -1 ? undefined : `another row ${other + 1}`
  })
}

const EQUAL_ROWS = eachRecord('the same number of fields in every row', ({ fields }, header) => {
  return fields.length === header.length
})
const CRLF = eachRecord('CRLF after every row', ({ end }) => end === '\r\n' || end === '')
const QUOTED = eachRecord('quotes around every field', ({ isQuoted }) => isQuoted)

const UTF8 = onReport(
  expects('UTF-8 without a byte order mark', ({ body }) => {
    return decode(body)?.startsWith('\ufeff') === false
  }),
)

/** Judges the values of a column that the specification's sample shows. */
const hasValues = (column: string, pattern: RegExp, expected: string): Judge => {
  return onReport(({ body }) => {
    const [header, ...rows] = parseStrictCsv(body.toString(), ',').records
    const at = header?.fields.indexOf(column) ?? -1
    if (at === -1 || rows.length === 0) return { skip: `the report has no values of ${column}` }
    const other = rows.map(({ fields }) => fields[at] ?? '').find((value) => !pattern.test(value))
    return other === undefined ? undefined : { expected, got: shown(other) || 'an empty field' }
  })
}

/** Judges that a request with other members gets the same header row, and as many rows. */
const hasSameRows = (delimiter = ','): Judge => {
  return async (answer, { gateway }) => {
    const plain = parseStrictCsv((await gateway.ask()).answer.body.toString(), ',')
    const expected = sizeOf(plain)
    if (!isReport(answer)) return find(false, expected, answer)
    const csv = parseStrictCsv(answer.body.toString(), delimiter)
    const [titles, usual] = [csv, plain].map(({ records }) => JSON.stringify(records[0]?.fields))
    const got = sizeOf(csv) + (titles === usual ? '' : ', with other titles')
    return got === expected ? undefined : { expected, got }
  }
}

const EMPTY = {
  configurationReportParameters: [],
  outputReportParameters: [],
  filters: Object.fromEntries(FILTER_NAMES.map((name) => [name, []])),
}

const digestAgrees = onReport(({ body, trailers, headers }) => {
  const name = HEADERS.reprDigest.toLowerCase()
  const sent = trailers[name] ?? headers[name]
  if (typeof sent !== 'string') return { skip: 'the gateway sends no digest' }
  const digest = hash('sha256', body, 'base64')
  return parseReprDigest(sent) === digest ? undefined : { expected: digest, got: sent }
})

const sendsPdf: Judge = (answer) => {
  if (answer.status >= 400) return { skip: 'the report has no PDF' }
  const isPdf = mediaTypeOf(answer) === 'application/pdf' && answer.body.indexOf('%PDF-') === 0
  return find(isReport(answer) && isPdf, 'application/pdf, and a body that begins "%PDF-"', answer)
}

// biome-ignore format: a check is a line of the table
export const REPORTS: readonly Subject[] = [
  { name: 'CSV', judge: UTF8, checks: [
    ['csv-media-type', 'should', 'names the media type text/csv', 'RFC 4180, 3', 'the plain request', undefined, onReport(expects('text/csv', (answer) => mediaTypeOf(answer) === 'text/csv'))],
    ['csv-quotes', 'must', 'quotes fields by the rules, and doubles quotes in them', 'RFC 4180, 2.5 to 2.7', 'the plain request', undefined, WELL_FORMED],
    ['csv-header', 'must', 'begins with a header row of column names', 'specification, Report response; RFC 4180, 2.3', 'the plain request', undefined, TITLES],
    ['csv-field-count', 'must', 'has as many fields in every row as in the header row', 'RFC 4180, 2.4', 'the plain request', undefined, EQUAL_ROWS],
    ['csv-line-ends', 'must', 'ends every row with CRLF', 'RFC 4180, 2.1', 'the plain request', undefined, CRLF],
    ['csv-all-quoted', 'should', 'quotes every field, as the sample does', 'specification, Report response', 'the plain request', undefined, QUOTED],
    ['csv-utf8', 'should', 'writes UTF-8 without a byte order mark', 'specification, Report request; RFC 3629, 6', 'the plain request', undefined, UTF8],
    ['csv-created-date', 'should', 'writes Created_date as the sample does', 'specification, Report response', 'the plain request', undefined, hasValues('Created_date', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'YYYY-MM-DD HH:MM:SS')],
    ['csv-amount', 'should', 'writes Amount as the sample does', 'specification, Report response', 'the plain request', undefined, hasValues('Amount', /^-?\d+\.\d{3,}$/, 'a decimal number with three fraction digits')],
    ['csv-currency', 'should', 'writes Currency as the sample does', 'specification, Report response', 'the plain request', undefined, hasValues('Currency', /^[A-Z]{3}$/, 'three upper-case letters')],
    ['csv-date-of-report', 'should', 'writes Date_of_report as the sample does', 'specification, Report response', 'the plain request', undefined, hasValues('Date_of_report', /^\d\d\.\d\d\.\d{4}$/, 'DD.MM.YYYY')],
    ['csv-delimiter', 'must', 'separates fields with reportCsvDelimiter', 'specification, Report request', 'reportCsvDelimiter: ";"', { members: { reportCsvDelimiter: ';' } }, hasSameRows(';')],
    ['csv-empty-arrays', 'must', 'takes empty arrays as no filter and no choice', 'specification, Report request', 'empty arrays for every member that the request leaves out', { members: EMPTY }, hasSameRows()],
  ] },
  { name: 'Completeness and PDF', judge: UTF8, checks: [
    ['complete-framing', 'must', 'ends the report as HTTP says', 'RFC 9112, 8', 'the plain request', undefined, expects('the end of the body', ({ isComplete }) => isComplete)],
    ['complete-digest', 'should', 'sends the digest of the bytes', 'RFC 9530, 3', 'the plain request', undefined, digestAgrees],
    ['complete-no-store', 'should', 'forbids caches to store the report', 'RFC 9111, 5.2.2.5', 'the plain request', undefined, expects('Cache-Control: no-store', ({ headers }) => /\bno-store\b/.test(headers['cache-control'] ?? ''))],
    ['format-pdf', 'should', 'sends a file of the format PDF with its media type', 'specification, Report response', 'reportFormat: "PDF"', { members: { reportFormat: 'PDF' } }, sendsPdf],
    ['complete-file-name', 'should', 'names the file of the report', 'RFC 6266', 'the plain request', undefined, expects('Content-Disposition: attachment', ({ headers }) => headers['content-disposition']?.startsWith('attachment') ?? false)],
  ] },
]

interface StrictRecord {
  readonly fields: readonly string[]
  readonly isQuoted: boolean
  /** The last record may end without a line end (RFC 4180, 2.2). */
  readonly end: string
}

type StrictCsv = ReturnType<typeof parseStrictCsv>

/** Parses CSV strictly by RFC 4180, section 2. The records end before a quote that is not well-formed. */
export function parseStrictCsv(text: string, delimiter: string) {
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

function sizeOf({ records }: StrictCsv): string {
  const rows = Math.max(0, records.length - 1)
  return `${rows} ${rows === 1 ? 'row' : 'rows'} of ${records[0]?.fields.length ?? 0} columns`
}

function decode(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}
