import { FILTER_NAMES } from '@counterfoil/protocol'
import { isReport, mediaTypeOf } from '../answer.ts'
import type { Check, Subject } from '../check.ts'
import { asks, check, find, findsFault, findTexts } from '../make-checks.ts'

const CLAUSE = 'specification, Report request'
const SILENT = 'docs/protocol.md, Members of the body'

const lookUp = findTexts(`
refuse-other-content-type | should | refuses a body that is not application/json | specification, Custom report | Content-Type: text/csv
refuse-get | must | sends no report for a GET | specification, Custom report | a signed GET
problem-details | should | describes faults as problem details | RFC 9457, 3 | reportIdentifier: 7
scope | should | shows no rows of other merchants | docs/protocol.md, Where the specification is silent | nothing
`)

type Row = readonly [id: string, member: string, value: unknown, what: string]

/** Members with a value of another type than the specification's. */
const WRONG_TYPES: readonly Row[] = [
  ['reportIdentifier', 'reportIdentifier', 7, 'a number'],
  ['reportEncode', 'reportEncode', 8, 'a number'],
  ['reportName', 'reportName', {}, 'an object'],
  ['reportCsvDelimiter', 'reportCsvDelimiter', ';;', 'two characters'],
  ['reportFormat', 'reportFormat', [], 'an array'],
  ['configuration', 'configurationReportParameters', {}, 'an object'],
  ['input', 'inputReportParameters', {}, 'an object'],
  ['output', 'outputReportParameters', 'x', 'a string'],
  ['input-element', 'inputReportParameters', ['x'], 'an array of strings'],
  [
    'input-value',
    'inputReportParameters',
    [{ type: 'INPUT_TEXT', name: 'dateFrom', value: 1 }],
    'a number as a value',
  ],
  ['filters', 'filters', [], 'an array'],
  ...FILTER_NAMES.map(
    (name): Row => [`filter-${name}`, 'filters', { [name]: 'x' }, `a string as ${name}`],
  ),
]

const SILENTLY: readonly (readonly [id: string, title: string, sent: string, change: object])[] = [
  [
    'refuse-no-report',
    'refuses a request without reportIdentifier',
    'no reportIdentifier',
    { reportIdentifier: undefined },
  ],
  [
    'refuse-unknown-report',
    'refuses a report that does not exist',
    'the identifier of no report',
    { reportIdentifier: 'no-such-report-of-the-checks' },
  ],
  [
    'refuse-unknown-format',
    'refuses a format that does not exist',
    'reportFormat "NO-SUCH-FORMAT"',
    { reportFormat: 'NO-SUCH-FORMAT' },
  ],
  [
    'refuse-unknown-encoding',
    'refuses an encoding that does not exist',
    'reportEncode "NO-SUCH-ENCODING"',
    { reportEncode: 'NO-SUCH-ENCODING' },
  ],
  [
    'refuse-unknown-member',
    'refuses a member that does not exist',
    'the member "reportname"',
    { reportname: 'x' },
  ],
  [
    'refuse-unknown-filter',
    'refuses a filter that does not exist',
    'the filter "shops"',
    { filters: { shops: [] } },
  ],
  [
    'refuse-unknown-id',
    'refuses a filter with an id that does not exist',
    'the merchant 999999999999999999',
    { filters: { merchants: ['999999999999999999'] } },
  ],
]

const BODIES: readonly (readonly [
  id: string,
  title: string,
  sent: string,
  body: string | Uint8Array,
])[] = [
  ['refuse-broken-json', 'refuses a body that is not JSON', 'the body {', '{'],
  ['refuse-array', 'refuses an array as the body', 'the body []', '[]'],
  ['refuse-empty-body', 'refuses an empty body', 'no body', ''],
  [
    'refuse-other-encoding',
    'refuses JSON that is not in UTF-8',
    'the byte FF in a name',
    Buffer.from('{"reportIdentifier":"\xff"}', 'latin1'),
  ],
]

/**
 * How a gateway reads the body of a request. The specification names the types, but not the answer to a fault: no check
 * of an answer is a must.
 */
export const REQUESTS: Subject = {
  name: 'Report requests',
  checks: [
    ...WRONG_TYPES.map(([id, member, value, what]) => {
      const texts = {
        id: `type-${id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
        title: `refuses ${what}${what.includes(' as ') ? '' : ` as ${member}`}`,
        clause: CLAUSE,
        level: 'should' as const,
        sent: `${member}: ${JSON.stringify(value)}`,
      }
      return withMember(texts, { [member]: value })
    }),
    ...SILENTLY.map(([id, title, sent, change]) => {
      return withMember({ id, title, clause: SILENT, level: 'should', sent }, change)
    }),
    ...BODIES.map(([id, title, sent, body]): Check => {
      return asks({ id, title, clause: CLAUSE, level: 'should', sent }, { body }, findsFault)
    }),
    asks(lookUp('refuse-other-content-type'), { contentType: 'text/csv' }, findsFault),
    check(lookUp('refuse-get'), async (gateway) => {
      const answer = await gateway.ask({ method: 'GET', body: '' })
      return find(!isReport(answer), 'no report', answer)
    }),
    check(lookUp('problem-details'), async (gateway) => {
      const answer = await gateway.ask({}, { ...gateway.report, reportIdentifier: 7 })
      const isRight = mediaTypeOf(answer) === 'application/problem+json'
      return find(isRight, 'application/problem+json', answer)
    }),
    check(lookUp('scope'), async () => ({
      skip: 'a caller cannot see which rows there are; only the operator can check this',
    })),
  ],
}

/** Makes a check that sends the report request with other members. */
function withMember(texts: Parameters<typeof check>[0], change: object): Check {
  return check(texts, async (gateway) => {
    return findsFault(await gateway.ask({}, { ...gateway.report, ...change }))
  })
}
