import { type Answer, describeAnswer, isReport, mediaTypeOf, shown } from '../answer.ts'
import type { Check, Finding, Subject } from '../check.ts'
import { check, type CheckTexts, find, findTexts } from '../make-checks.ts'
import type { Gateway } from '../gateway.ts'
import { parseStrictCsv, type StrictCsv } from '../parse-strict-csv.ts'

const RESPONSE = 'specification, Report response'
const SENT = 'the plain request'

const lookUp = findTexts(`
csv-media-type | should | names the media type text/csv | RFC 4180, 3 | the plain request
csv-quotes | must | quotes fields by the rules, and doubles quotes in them | RFC 4180, 2.5 to 2.7 | the plain request
csv-header | must | begins with a header row of column names | specification, Report response; RFC 4180, 2.3 | the plain request
csv-field-count | must | has as many fields in every row as in the header row | RFC 4180, 2.4 | the plain request
csv-line-ends | must | ends every row with CRLF | RFC 4180, 2.1 | the plain request
csv-all-quoted | should | quotes every field, as the sample does | specification, Report response | the plain request
csv-utf8 | should | writes UTF-8 without a byte order mark | specification, Report request; RFC 3629, 6 | the plain request
csv-delimiter | must | separates fields with reportCsvDelimiter | specification, Report request | reportCsvDelimiter: ";"
csv-encoding-case | should | accepts the name of an encoding in lower case | RFC 2978, 2.3 | reportEncode: "utf-8"
csv-encoding | should | writes the encoding of reportEncode | specification, Report request | reportEncode: "UTF-16LE"
csv-default | should | writes CSV if the request names no format | specification, Report request | neither reportFormat nor reportEncode nor reportCsvDelimiter
csv-empty-arrays | must | takes empty arrays as no filter and no choice | specification, Report request | empty arrays for every member that the request leaves out
`)

/** The values of columns that the specification's sample shows. */
const SAMPLE: readonly (readonly [
  id: string,
  column: string,
  pattern: RegExp,
  expected: string,
])[] = [
  ['csv-created-date', 'Created_date', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'YYYY-MM-DD HH:MM:SS'],
  ['csv-amount', 'Amount', /^-?\d+\.\d{3,}$/, 'a decimal number with three fraction digits'],
  ['csv-currency', 'Currency', /^[A-Z]{3}$/, 'three upper-case letters'],
  ['csv-date-of-report', 'Date_of_report', /^\d\d\.\d\d\.\d{4}$/, 'DD.MM.YYYY'],
]

const CHECKS: readonly Check[] = [
  onAnswer(lookUp('csv-media-type'), (answer) =>
    find(mediaTypeOf(answer) === 'text/csv', 'text/csv', answer),
  ),
  onCsv(lookUp('csv-quotes'), ({ quoteFault: fault }) => ({
    isRight: fault === undefined,
    expected: 'well-formed quotes',
    got: fault ?? 'well-formed quotes',
  })),
  onCsv(lookUp('csv-header'), ({ records: [header] }) => {
    const titles = header?.fields ?? []
    const isRight =
      titles.length > 0 && titles.every(isTitle) && new Set(titles).size === titles.length
    return {
      isRight,
      expected: 'unique titles that are neither empty nor numbers or dates',
      got: shown(titles.join(', ')) || 'no header row',
    }
  }),
  onCsv(lookUp('csv-field-count'), ({ records }) => {
    const [width = 0] = records.map(({ fields }) => fields.length)
    const other = records.findIndex(({ fields }) => fields.length !== width)
    const got =
      other === -1
        ? `${width} fields in ${records.length} rows`
        : `${records[other]?.fields.length} fields in row ${other + 1}`
    return { isRight: other === -1, expected: `${width} fields in every row`, got }
  }),
  onCsv(lookUp('csv-line-ends'), ({ otherLineEnd: row }) => {
    const isRight = row === undefined
    return { isRight, expected: 'CRLF', got: isRight ? 'CRLF' : `another after row ${row}` }
  }),
  onCsv(lookUp('csv-all-quoted'), ({ records }) => {
    const other = records.findIndex(({ isQuoted }) => !isQuoted)
    const got =
      other === -1 ? 'quotes around every field' : `a field without quotes in row ${other + 1}`
    return { isRight: other === -1, expected: 'quotes around every field', got }
  }),
  onAnswer(lookUp('csv-utf8'), ({ body }) => {
    const text = decode(body, 'utf-8')
    const isRight = text !== undefined && !text.startsWith('\ufeff')
    const got = text === undefined ? 'other bytes' : isRight ? 'UTF-8' : 'a byte order mark'
    return { isRight, expected: 'UTF-8 without a byte order mark', got }
  }),
  ...SAMPLE.map(([id, column, pattern, expected]) => {
    const texts: CheckTexts = {
      id,
      title: `writes ${column} as the sample does`,
      clause: RESPONSE,
      level: 'should',
      sent: SENT,
    }
    return onCsv(texts, ({ records: [header, ...rows] }) => {
      const at = header?.fields.indexOf(column) ?? -1
      if (at === -1) return { skip: `the report has no column ${column}` }
      if (rows.length === 0) return { skip: 'the report has no rows' }
      const other = rows.map(({ fields }) => fields[at] ?? '').find((value) => !pattern.test(value))
      return {
        isRight: other === undefined,
        expected,
        got: other === undefined ? expected : shown(other) || 'an empty field',
      }
    })
  }),
  sameRows(lookUp('csv-delimiter'), { reportCsvDelimiter: ';' }, (body) =>
    parseStrictCsv(decode(body, 'utf-8') ?? '', ';'),
  ),
  sameRows(lookUp('csv-encoding-case'), { reportEncode: 'utf-8' }, (body) =>
    parseStrictCsv(decode(body, 'utf-8') ?? '', ','),
  ),
  sameRows(lookUp('csv-encoding'), { reportEncode: 'UTF-16LE' }, (body) =>
    parseStrictCsv(decode(body, 'utf-16le') ?? '', ','),
  ),
  sameRows(
    lookUp('csv-default'),
    { reportFormat: undefined, reportEncode: undefined, reportCsvDelimiter: undefined },
    (body) => parseStrictCsv(decode(body, 'utf-8') ?? '', ','),
  ),
  sameRows(
    lookUp('csv-empty-arrays'),
    {
      configurationReportParameters: [],
      outputReportParameters: [],
      filters: {
        gates: [],
        companies: [],
        projects: [],
        endpoints: [],
        merchants: [],
        processors: [],
        managers: [],
        resellers: [],
        currencies: [],
      },
    },
    (body) => parseStrictCsv(decode(body, 'utf-8') ?? '', ','),
  ),
]

/** How a gateway writes CSV. */
export const CSV: Subject = { name: 'CSV', checks: CHECKS }

/** Makes a check of the plain answer. */
function onAnswer(texts: CheckTexts, judge: (answer: Answer) => Finding): Check {
  return check(texts, async (gateway) => {
    const answer = await gateway.plainAnswer()
    if (!isReport(answer)) return find(false, 'the report', answer)
    return judge(answer)
  })
}

/** Makes a check of the rows of the plain answer. */
function onCsv(texts: CheckTexts, judge: (csv: StrictCsv) => Finding): Check {
  return onAnswer(texts, (answer) => {
    const text = decode(answer.body, 'utf-8')
    return text === undefined
      ? find(false, 'a report in UTF-8', answer)
      : judge(parseStrictCsv(text, ','))
  })
}

/** Makes a check that a request with other members gets the same header row, and as many rows. */
function sameRows(texts: CheckTexts, members: object, parse: (body: Buffer) => StrictCsv): Check {
  return check(texts, async (gateway: Gateway) => {
    const plain = parseStrictCsv(decode((await gateway.plainAnswer()).body, 'utf-8') ?? '', ',')
    const answer = await gateway.ask({}, { ...gateway.report, ...members })
    const isKnown = answer.status < 400
    if (!isKnown && texts.level === 'should')
      return { skip: `the gateway answers ${describeAnswer(answer)}` }
    if (!isReport(answer)) return find(false, sizeOf(plain), answer)
    const csv = parse(answer.body)
    const isSame = sizeOf(csv) === sizeOf(plain) && titlesOf(csv) === titlesOf(plain)
    const others = titlesOf(csv) === titlesOf(plain) ? '' : ', with other titles'
    return { isRight: isSame, expected: sizeOf(plain), got: sizeOf(csv) + others }
  })
}

/** Whether a text can be a column's name: not empty, and neither a number nor a date. */
function isTitle(text: string): boolean {
  return /[^\d\s.,:+-]/.test(text)
}

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
