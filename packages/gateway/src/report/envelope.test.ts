import { FILTER_NAMES } from '@counterfoil/protocol'
import { expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { parseEnvelope } from './envelope.ts'

function parse(body: unknown) {
  return parseEnvelope(Buffer.from(JSON.stringify(body)))
}

test('fills in defaults', () => {
  const filters = Object.fromEntries(FILTER_NAMES.map((name) => [name, []]))
  expect(parse({ reportIdentifier: 'list' })).toEqual({
    reportIdentifier: 'list',
    reportEncode: 'UTF-8',
    reportName: 'list',
    reportFormat: 'CSV',
    configurationReportParameters: [],
    inputReportParameters: [],
    outputReportParameters: [],
    filters,
  })
})

test.each([null, ''])('takes %j for an optional member as not set', (blank) => {
  const members = ['reportEncode', 'reportName', 'reportCsvDelimiter', 'reportFormat', 'filters']
  const lists = ['configuration', 'input', 'output'].map((kind) => `${kind}ReportParameters`)
  const blanks = Object.fromEntries([...members, ...lists].map((name) => [name, blank]))
  const usual = parse({ reportIdentifier: 'list' })
  expect(parse({ reportIdentifier: 'list', ...blanks })).toEqual(usual)
  const filters = { gates: null, currencies: null }
  expect(parse({ reportIdentifier: 'list', filters })).toEqual(usual)
})

test('takes null for the title of an output column as no title', () => {
  const titled = (value: string | null) => [{ type: 'INPUT_TEXT', name: 'Amount', value }, 'Status']
  const parsed = parse({ reportIdentifier: 'list', outputReportParameters: titled(null) })
  expect(parsed.outputReportParameters).toEqual(titled(''))
})

test.each(['"', '\r', '\n', '\0', ';;', 'e\u0301', '\ud83d', 1])(
  'refuses the delimiter %j',
  (delimiter) => {
    const parseIt = () => parse({ reportIdentifier: 'list', reportCsvDelimiter: delimiter })
    expect(parseIt).toThrow('/reportCsvDelimiter: expected one character other than')
  },
)

test('takes the values of filters as the catalogue lists them', () => {
  const filters = {
    gates: [{ id: '7', name: 'Gate 7' }, { id: 8 }, '9'],
    currencies: [{ id: 'EUR', name: 'EUR' }],
  }
  expect(parse({ reportIdentifier: 'list', filters }).filters).toMatchObject({
    gates: ['7', '8', '9'],
    currencies: ['EUR'],
  })
  for (const gate of [{ name: 'Gate 7' }, { id: 7, title: 'Gate 7' }, { id: { id: 7 } }, [7]]) {
    const parseGate = () => parse({ reportIdentifier: 'list', filters: { gates: [gate] } })
    expect(parseGate).toThrow('/filters/gates/0: expected an id')
  }
})

test.each([1e22, -1e22, 1.5, -1, '', ' 1', 'a\nb', 'x'.repeat(129), true])(
  'says what an id is if the request has %j',
  (id) => {
    const expected =
      'an id: a text of 1 to 128 characters, or a whole number; or an object with "id"'
    expect(() => parse({ reportIdentifier: 'list', filters: { merchants: [id] } })).toThrow(
      expect.objectContaining({ faults: [{ pointer: '/filters/merchants/0', expected }] }),
    )
  },
)

test('repeats no name of a member that holds a card number', () => {
  const name = '4111 1111 1111 1111'
  for (const [change, pointer] of [
    [{ [name]: 1 }, '/[masked]'],
    [{ filters: { [name]: [] } }, '/filters/[masked]'],
  ] as const) {
    expect(attempt({ reportIdentifier: 'list', ...change })).toMatchObject({
      message: expect.not.stringContaining('1111'),
      faults: [{ pointer }],
    })
  }
})

/** Returns the error that parsing throws, or nothing if parsing succeeds. */
function attempt(body: unknown): GatewayError | undefined {
  try {
    parse(body)
    return undefined
  } catch (error) {
    return error as GatewayError
  }
}

test.each([
  [{ reportNam: null }, /^no such member, .*did you mean "reportName"/],
  [{ filters: { gates: [null] } }, /^an id.*, got null$/],
  [{ reportIdentifier: null }, /^the identifier of a report, got null$/],
  [{ inputReportParameters: [null] }, /^an object of "type", "name" and "value", got null$/],
  [
    { inputReportParameters: [{ type: 'INPUT_TEXT', name: 'a', value: null }] },
    /^a text: send every value as text, got null$/,
  ],
  [{ reportName: 1 }, /^a name$/],
])('names null if a member is null, and no other value: %j', (change, expected) => {
  const faults = attempt({ reportIdentifier: 'list', ...change })?.faults
  expect(faults).toEqual([expect.objectContaining({ expected: expect.stringMatching(expected) })])
})

test.each(['', ' \n', '\ufeff'])('names an empty body: %j', (text) => {
  expect(() => parseEnvelope(Buffer.from(text))).toThrow(
    'expected a JSON object, got an empty body',
  )
})
