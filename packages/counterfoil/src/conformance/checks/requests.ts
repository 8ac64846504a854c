import { FILTER_NAMES, PROBLEM_MEDIA_TYPE } from '@counterfoil/protocol'
import { isRefusal, isReport, mediaTypeOf } from '../answer.ts'
import { type CheckRow, checksOf, type Subject } from '../check.ts'
import { expects } from '../judges.ts'

/** Judges that a gateway found a fault in the request of an accepted caller. */
const findsFault = expects('status 400 to 499, and no report', (answer) => {
  return answer.status >= 400 && answer.status < 500 && !isRefusal(answer)
})

/** Members with a value of another type than the specification's. */
// biome-ignore format: a value is a line of the table
const WRONG_TYPES: readonly (readonly [id: string, what: string, member: string, value: unknown])[] = [
  ['report-identifier', 'a number', 'reportIdentifier', 7],
  ['report-encode', 'a number', 'reportEncode', 8],
  ['report-name', 'an object', 'reportName', {}],
  ['report-csv-delimiter', 'two characters', 'reportCsvDelimiter', ';;'],
  ['report-format', 'an array', 'reportFormat', []],
  ['configuration', 'an object', 'configurationReportParameters', {}],
  ['input', 'an object', 'inputReportParameters', {}],
  ['output', 'a string', 'outputReportParameters', 'x'],
  ['input-element', 'an array of strings', 'inputReportParameters', ['x']],
  ['input-value', 'a number as a value', 'inputReportParameters', [{ type: 'INPUT_TEXT', name: 'dateFrom', value: 1 }]],
  ['filters', 'an array', 'filters', []],
  ...FILTER_NAMES.map((name) => [`filter-${name}`, `a string as ${name}`, 'filters', { [name]: 'x' }] as const),
]

const TYPES = WRONG_TYPES.map(
  ([id, what, member, value]): CheckRow => [
    `type-${id}`,
    'should',
    `refuses ${what}${what.includes(' as ') ? '' : ` as ${member}`}`,
    'specification, Report request',
    `${member}: ${JSON.stringify(value)}`,
    { members: { [member]: value } },
  ],
)

// biome-ignore format: a check is a line of the table
const ROWS: readonly CheckRow[] = [
  ['refuse-no-report', 'should', 'refuses a request without reportIdentifier', 'docs/protocol.md, Members of the body', 'no reportIdentifier', { members: { reportIdentifier: undefined } }],
  ['refuse-unknown-report', 'should', 'refuses a report that does not exist', 'docs/protocol.md, Members of the body', 'the identifier of no report', { members: { reportIdentifier: 'no-such-report-of-the-checks' } }],
  ['refuse-unknown-format', 'should', 'refuses a format that does not exist', 'docs/protocol.md, Members of the body', 'reportFormat "NO-SUCH-FORMAT"', { members: { reportFormat: 'NO-SUCH-FORMAT' } }],
  ['refuse-unknown-encoding', 'should', 'refuses an encoding that does not exist', 'docs/protocol.md, Members of the body', 'reportEncode "NO-SUCH-ENCODING"', { members: { reportEncode: 'NO-SUCH-ENCODING' } }],
  ['refuse-unknown-member', 'should', 'refuses a member that does not exist', 'docs/protocol.md, Members of the body', 'the member "reportname"', { members: { reportname: 'x' } }],
  ['refuse-unknown-filter', 'should', 'refuses a filter that does not exist', 'docs/protocol.md, Members of the body', 'the filter "shops"', { members: { filters: { shops: [] } } }],
  ['refuse-unknown-id', 'should', 'refuses a filter with an id that does not exist', 'docs/protocol.md, Members of the body', 'the merchant 999999999999999999', { members: { filters: { merchants: ['999999999999999999'] } } }],
  ['refuse-broken-json', 'should', 'refuses a body that is not JSON', 'specification, Report request', 'the body {', { body: '{' }],
  ['refuse-array', 'should', 'refuses an array as the body', 'specification, Report request', 'the body []', { body: '[]' }],
  ['refuse-empty-body', 'should', 'refuses an empty body', 'specification, Report request', 'no body', { body: '' }],
  ['refuse-other-encoding', 'should', 'refuses JSON that is not in UTF-8', 'specification, Report request', 'the byte FF in a name', { body: Buffer.from('{"reportIdentifier":"\xff"}', 'latin1') }],
  ['refuse-other-content-type', 'should', 'refuses a body that is not application/json', 'specification, Custom report', 'Content-Type: text/csv', { contentType: 'text/csv' }],
  ['refuse-get', 'must', 'sends no report for a GET', 'specification, Custom report', 'a signed GET', { method: 'GET', body: '' }, expects('no report', (answer) => !isReport(answer))],
  ['problem-details', 'should', 'describes faults as problem details', 'RFC 9457, 3', 'reportIdentifier: 7', { members: { reportIdentifier: 7 } }, expects(PROBLEM_MEDIA_TYPE, (answer) => mediaTypeOf(answer) === PROBLEM_MEDIA_TYPE)],
  ['scope', 'should', 'shows no rows of other merchants', 'docs/protocol.md, Where the specification is silent', 'nothing', undefined, () => ({ skip: 'a caller cannot see which rows there are; only the operator can check this' })],
]

/**
 * How a gateway reads the body of a request. The specification names the types, but not the answer to a fault: no check
 * of an answer is a must.
 */
export const REQUESTS: Subject = {
  name: 'Report requests',
  checks: checksOf([...TYPES, ...ROWS], findsFault),
}
