import { FILTER_NAMES } from '@counterfoil/protocol'
import { describeAnswer, isReport, mediaTypeOf, shown } from '../answer.ts'
import { type CheckRow, checksOf, type Finding, type Judge, type Subject } from '../check.ts'
import { expects, find, onReport } from '../judges.ts'
import { parseStrictCsv, type StrictCsv } from '../parse-strict-csv.ts'

type JudgeCsv = (csv: StrictCsv) => Finding

/** Judges the rows of a report that is CSV in UTF-8. */
const onCsv = (judge: JudgeCsv): Judge => {
  return onReport((answer) => {
    const text = decode(answer.body, 'utf-8')
    if (text === undefined) return find(false, 'a report in UTF-8', answer)
    return judge(parseStrictCsv(text, ','))
  })
}

/** Makes a finding that is right without a fault. */
const findFault = (expected: string, fault: string | undefined): Finding => {
  return { isRight: fault === undefined, expected, got: fault ?? expected }
}

const hasGoodQuotes: JudgeCsv = ({ quoteFault }) => findFault('well-formed quotes', quoteFault)

const hasTitles: JudgeCsv = ({ records: [header] }) => {
  const titles = header?.fields ?? []
  // A title is neither empty nor a number or a date.
  const isRight =
    titles.length > 0 &&
    titles.every((title) => /[^\d\s.,:+-]/.test(title)) &&
    new Set(titles).size === titles.length
  const expected = 'unique titles that are neither empty nor numbers or dates'
  return { isRight, expected, got: shown(titles.join(', ')) || 'no header row' }
}

const hasEqualRows: JudgeCsv = ({ records }) => {
  const width = records[0]?.fields.length ?? 0
  const other = records.findIndex(({ fields }) => fields.length !== width)
  const fault = `${records[other]?.fields.length} fields in row ${other + 1}`
  return findFault(`${width} fields in every row`, other === -1 ? undefined : fault)
}

const endsWithCrlf: JudgeCsv = ({ otherLineEnd: row }) => {
  return findFault('CRLF', row === undefined ? undefined : `another after row ${row}`)
}

const quotesAll: JudgeCsv = ({ records }) => {
  const other = records.findIndex(({ isQuoted }) => !isQuoted)
  const fault = `a field without quotes in row ${other + 1}`
  return findFault('quotes around every field', other === -1 ? undefined : fault)
}

const isUtf8: Judge = ({ body }) => {
  const text = decode(body, 'utf-8')
  const mark = text?.startsWith('\ufeff') ? 'a byte order mark' : undefined
  return findFault('UTF-8 without a byte order mark', text === undefined ? 'other bytes' : mark)
}

/** Judges the values of a column that the specification's sample shows. */
const hasValues = (column: string, pattern: RegExp, expected: string): JudgeCsv => {
  return ({ records: [header, ...rows] }) => {
    const at = header?.fields.indexOf(column) ?? -1
    if (at === -1) return { skip: `the report has no column ${column}` }
    if (rows.length === 0) return { skip: 'the report has no rows' }
    const other = rows.map(({ fields }) => fields[at] ?? '').find((value) => !pattern.test(value))
    return findFault(expected, other === undefined ? undefined : shown(other) || 'an empty field')
  }
}

/** Judges that a request with other members gets the same header row, and as many rows. */
const hasSameRows = (delimiter = ',', encoding = 'utf-8'): Judge => {
  return async (answer, { gateway, level }) => {
    const plain = parseStrictCsv((await gateway.ask()).answer.body.toString(), ',')
    if (answer.status >= 400 && level === 'should')
      return { skip: `the gateway answers ${describeAnswer(answer)}` }
    const expected = sizeOf(plain)
    if (!isReport(answer)) return find(false, expected, answer)
    const csv = parseStrictCsv(decode(answer.body, encoding) ?? '', delimiter)
    const others = titlesOf(csv) === titlesOf(plain) ? '' : ', with other titles'
    const got = sizeOf(csv) + others
    return { isRight: got === expected, expected, got }
  }
}

const EMPTY = {
  configurationReportParameters: [],
  outputReportParameters: [],
  filters: Object.fromEntries(FILTER_NAMES.map((name) => [name, []])),
}

// biome-ignore format: a check is a line of the table
const ROWS: readonly CheckRow[] = [
  ['csv-media-type', 'should', 'names the media type text/csv', 'RFC 4180, 3', 'the plain request', undefined, onReport(expects('text/csv', (answer) => mediaTypeOf(answer) === 'text/csv'))],
  ['csv-quotes', 'must', 'quotes fields by the rules, and doubles quotes in them', 'RFC 4180, 2.5 to 2.7', 'the plain request', undefined, onCsv(hasGoodQuotes)],
  ['csv-header', 'must', 'begins with a header row of column names', 'specification, Report response; RFC 4180, 2.3', 'the plain request', undefined, onCsv(hasTitles)],
  ['csv-field-count', 'must', 'has as many fields in every row as in the header row', 'RFC 4180, 2.4', 'the plain request', undefined, onCsv(hasEqualRows)],
  ['csv-line-ends', 'must', 'ends every row with CRLF', 'RFC 4180, 2.1', 'the plain request', undefined, onCsv(endsWithCrlf)],
  ['csv-all-quoted', 'should', 'quotes every field, as the sample does', 'specification, Report response', 'the plain request', undefined, onCsv(quotesAll)],
  ['csv-utf8', 'should', 'writes UTF-8 without a byte order mark', 'specification, Report request; RFC 3629, 6', 'the plain request', undefined, onReport(isUtf8)],
  ['csv-created-date', 'should', 'writes Created_date as the sample does', 'specification, Report response', 'the plain request', undefined, onCsv(hasValues('Created_date', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'YYYY-MM-DD HH:MM:SS'))],
  ['csv-amount', 'should', 'writes Amount as the sample does', 'specification, Report response', 'the plain request', undefined, onCsv(hasValues('Amount', /^-?\d+\.\d{3,}$/, 'a decimal number with three fraction digits'))],
  ['csv-currency', 'should', 'writes Currency as the sample does', 'specification, Report response', 'the plain request', undefined, onCsv(hasValues('Currency', /^[A-Z]{3}$/, 'three upper-case letters'))],
  ['csv-date-of-report', 'should', 'writes Date_of_report as the sample does', 'specification, Report response', 'the plain request', undefined, onCsv(hasValues('Date_of_report', /^\d\d\.\d\d\.\d{4}$/, 'DD.MM.YYYY'))],
  ['csv-delimiter', 'must', 'separates fields with reportCsvDelimiter', 'specification, Report request', 'reportCsvDelimiter: ";"', { members: { reportCsvDelimiter: ';' } }, hasSameRows(';')],
  ['csv-encoding-case', 'should', 'accepts the name of an encoding in lower case', 'RFC 2978, 2.3', 'reportEncode: "utf-8"', { members: { reportEncode: 'utf-8' } }, hasSameRows()],
  ['csv-encoding', 'should', 'writes the encoding of reportEncode', 'specification, Report request', 'reportEncode: "UTF-16LE"', { members: { reportEncode: 'UTF-16LE' } }, hasSameRows(',', 'utf-16le')],
  ['csv-default', 'should', 'writes CSV if the request names no format', 'specification, Report request', 'neither reportFormat nor reportEncode nor reportCsvDelimiter', { members: { reportFormat: undefined, reportEncode: undefined, reportCsvDelimiter: undefined } }, hasSameRows()],
  ['csv-empty-arrays', 'must', 'takes empty arrays as no filter and no choice', 'specification, Report request', 'empty arrays for every member that the request leaves out', { members: EMPTY }, hasSameRows()],
]

/** How a gateway writes CSV. */
export const CSV: Subject = { name: 'CSV', checks: checksOf(ROWS, onReport(isUtf8)) }

function sizeOf({ records }: StrictCsv): string {
  const rows = Math.max(0, records.length - 1)
  return `${rows} ${rows === 1 ? 'row' : 'rows'} of ${records[0]?.fields.length ?? 0} columns`
}

function titlesOf({ records: [header] }: StrictCsv): string {
  return JSON.stringify(header?.fields)
}

function decode(body: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}
