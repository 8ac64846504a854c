import { FILTER_NAMES } from '@counterfoil/protocol'
import { expect, test } from 'vitest'
import type { GatewayError } from '../../../common/src/errors.ts'
import { parseEnvelope } from './envelope.ts'

function parse(members: object) {
  return parseEnvelope(Buffer.from(JSON.stringify({ reportIdentifier: 'list', ...members })))
}

test('fills in defaults', () => {
  expect(parse({})).toEqual({
    reportIdentifier: 'list',
    reportEncode: 'UTF-8',
    reportName: 'list',
    reportFormat: 'CSV',
    configurationReportParameters: [],
    inputReportParameters: [],
    outputReportParameters: [],
    filters: Object.fromEntries(FILTER_NAMES.map((name) => [name, []])),
  })
})

test.each([null, ''])('takes %j for an optional member as not set', (blank) => {
  const members = ['reportEncode', 'reportName', 'reportCsvDelimiter', 'reportFormat', 'filters']
  const lists = ['configuration', 'input', 'output'].map((kind) => `${kind}ReportParameters`)
  expect(parse(Object.fromEntries([...members, ...lists].map((name) => [name, blank])))).toEqual(
    parse({}),
  )
  expect(parse({ filters: { gates: null, currencies: null } })).toEqual(parse({}))
})

test('takes null for the title of an output column as no title', () => {
  const titled = (value: string | null) => [{ type: 'INPUT_TEXT', name: 'Amount', value }, 'Status']
  const { outputReportParameters } = parse({ outputReportParameters: titled(null) })
  expect(outputReportParameters).toEqual(titled(''))
})

test('takes the values of filters as the catalogue lists them', () => {
  const gates = [{ id: '7', name: 'Gate 7' }, { id: 8 }, '9']
  const { filters } = parse({ filters: { gates, currencies: [{ id: 'EUR', name: 'EUR' }] } })
  expect(filters).toMatchObject({ gates: ['7', '8', '9'], currencies: ['EUR'] })
})

const DELIMITERS = ['"', '\r', '\n', '\0', ';;', 'e\u0301', '\ud83d', 1]
const IDS = [1e22, -1e22, 1.5, -1, '', ' 1', 'a\nb', 'x'.repeat(129), true, [7]]
const OBJECTS = [{ name: 'Gate 7' }, { id: 7, title: 'Gate 7' }, { id: { id: 7 } }]
const ID = 'an id: a text of 1 to 128 characters, or a whole number; or an object with "id"'

test.each<readonly [members: object, pointer: string, expected: string]>([
  ...DELIMITERS.map((reportCsvDelimiter) => {
    return [{ reportCsvDelimiter }, '/reportCsvDelimiter', 'one character other than'] as const
  }),
  ...IDS.map((id) => [{ filters: { merchants: [id] } }, '/filters/merchants/0', ID] as const),
  ...OBJECTS.map((id) => [{ filters: { gates: [id] } }, '/filters/gates/0', 'an id'] as const),
  [{ reportNam: null }, '/reportNam', 'did you mean "reportName"'],
  [{ filters: { gates: [null] } }, '/filters/gates/0', 'an id'],
  [{ reportIdentifier: null }, '/reportIdentifier', 'the identifier of a report, got null'],
  [
    { inputReportParameters: [null] },
    '/inputReportParameters/0',
    'an object of "type", "name" and "value", got null',
  ],
  [
    { inputReportParameters: [{ type: 'INPUT_TEXT', name: 'a', value: null }] },
    '/inputReportParameters/0/value',
    'a text: send every value as text, got null',
  ],
  // A name that holds a card number is not repeated.
  [{ '4111 1111 1111 1111': 1 }, '/[masked]', 'no such member'],
  [{ filters: { '4111 1111 1111 1111': [] } }, '/filters/[masked]', 'no such member'],
])('the fault of %j is at %s', (members, pointer, expected) => {
  const fault = { pointer, expected: expect.stringContaining(expected) }
  expect(() => parse(members)).toThrow(
    expect.objectContaining<Partial<GatewayError>>({
      message: expect.not.stringContaining('1111'),
      faults: [fault],
    }),
  )
})

test('says that a value is null only if it is', () => {
  const got = (reportName: unknown) => () => parse({ reportName })
  expect(got({})).toThrow(/: expected a name$/)
  expect(() => parse({ filters: { gates: [null] } })).toThrow(/an id.*, got null$/)
})

test.each(['', ' \n', '\ufeff'])('names an empty body: %j', (text) => {
  expect(() => parseEnvelope(Buffer.from(text))).toThrow(
    'expected a JSON object, got an empty body',
  )
})
