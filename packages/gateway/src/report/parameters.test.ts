import { INPUT_TYPES, type InputParameter } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { FORMATS } from '../../../formats/src/format/formats.ts'
import { type Template, templateSchema } from '../../../templates/src/template/template.ts'
import { parseEnvelope } from './envelope.ts'
import { readParameters } from './parameters.ts'

const TIMEZONES = new Set(['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'])

const column = { name: 'Id', about: 'x', kind: 'id', sql: 'transaction_id' }
const BARE = {
  identifier: 'list',
  title: 'List',
  description: 'For tests.',
  roles: ['merchant'],
  formats: ['CSV'],
  columns: [column],
  order: ['transaction_id'],
}
const AXES = { created: { sql: 'created_at' }, bank: { sql: 'bank_date', kind: 'date' } }

function template(change: object): Template {
  return templateSchema.parse({ ...BARE, ...change })
}

function parametersIn(values: Readonly<Record<string, string>>): readonly InputParameter[] {
  return Object.entries(values).map(([name, value]) => ({ type: 'INPUT_TEXT', name, value }))
}

interface Lists {
  readonly input?: readonly InputParameter[]
  readonly configuration?: readonly InputParameter[]
}

function read(asked: Template, { input = [], configuration = [] }: Lists) {
  const request = {
    reportIdentifier: 'list',
    inputReportParameters: input,
    configurationReportParameters: configuration,
  }
  const envelope = parseEnvelope(Buffer.from(JSON.stringify(request)))
  return readParameters(asked, envelope, TIMEZONES, FORMATS.CSV)
}

/** Returns the faults of a request, each as its pointer and its text. */
function faultsOf(asked: Template, lists: Lists): readonly string[] {
  try {
    read(asked, lists)
    return []
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'invalid-parameter') throw error
    return error.faults.map(({ pointer, expected }) => `${pointer}: ${expected}`)
  }
}

const A_REQUIRED = [{ name: 'a', title: 'A', type: 'INPUT_TEXT', required: true }]
const ONE_AXIS = { period: { axes: { created: { sql: 'created_at' } } } }
const OCTOBER = { dateFrom: '2026-10-01', dateTo: '2026-11-01' }
const IN_FORMAT =
  'timezone, spreadsheet, header, quote, lineEnd, bom, unencodable, decimals, decimalSeparator, dateFormat, ids, ' +
  'neutralise, totals, controlTotals'

test('a request without parameters gets the defaults of the configuration and of the report', () => {
  const parameters = [
    { name: 'a', title: 'A', type: 'INPUT_NUMBER', default: '7' },
    { name: 'b', title: 'B', type: 'INPUT_TEXT' },
  ]
  expect(read(template({ parameters, period: { axes: AXES } }), {})).toEqual({
    input: { a: '7', dateAxis: 'created', timezone: 'UTC' },
    configuration: {
      timezone: 'UTC',
      header: 'on',
      quote: 'all',
      lineEnd: 'CRLF',
      bom: 'off',
      unencodable: 'replace',
      decimals: '3',
      decimalSeparator: '.',
      dateFormat: 'mixed',
      ids: 'plain',
      neutralise: 'off',
      paper: 'A4',
      totals: 'off',
      controlTotals: 'off',
    },
  })
})

test.each([...INPUT_TYPES, 'text', ''])('the type %j of an element does not matter', (type) => {
  const asked = template({ parameters: [{ name: 'a', title: 'A', type: 'INPUT_NUMBER' }] })
  const { input } = read(asked, { input: [{ type, name: 'a', value: '1' }] })
  expect(input).toMatchObject({ a: '1' })
})

test('an empty value is not set: the parameter has its default or no value', () => {
  const parameters = [
    { name: 'a', title: 'A', type: 'INPUT_NUMBER', default: '7' },
    { name: 'b', title: 'B', type: 'INPUT_TEXT' },
    { name: 'c', title: 'C', type: 'INPUT_SELECT', allowed: ['x'], list: true },
  ]
  const input = parametersIn({ a: '', b: '', c: '', dateFrom: '', dateAxis: '', timezone: '' })
  const configuration = parametersIn({ header: '', timezone: 'Europe/Berlin', spreadsheet: '' })
  const values = read(template({ parameters, period: { axes: AXES } }), { input, configuration })
  expect(values.input).toEqual({ a: '7', dateAxis: 'created', timezone: 'Europe/Berlin' })
  expect(values.configuration['header']).toBe('on')
})

test('a name that the report ignores has no effect, whatever its value', () => {
  const input = parametersIn({ example: 'x' })
  const asked = template({ ignores: ['example'] })
  expect(read(asked, { input: [...input, ...input] })).toEqual(read(asked, {}))
  expect(faultsOf(template({}), { input })).toHaveLength(1)
})

const inputs = (values: Readonly<Record<string, string>>): Lists => ({
  input: parametersIn(values),
})
const configured = (values: Readonly<Record<string, string>>): Lists => {
  return { configuration: parametersIn(values) }
}

test.each<readonly [what: string, asked: object, lists: Lists, faults: readonly string[]]>([
  [
    'required parameters',
    { parameters: A_REQUIRED, period: { axes: AXES, required: true } },
    {},
    ['dateFrom', 'dateTo', 'a'].map((name) => `/inputReportParameters: the parameter ${name}`),
  ],
  [
    'an empty value of a required parameter',
    { period: { axes: AXES, required: true } },
    inputs({ dateFrom: '', dateTo: '2026-01-01' }),
    ['/inputReportParameters/0/value: the parameter dateFrom'],
  ],
  [
    'unknown names in either list',
    ONE_AXIS,
    { ...inputs({ header: 'on' }), ...configured({ dateFrom: '2026-01-01' }) },
    [
      "/inputReportParameters/0/name: one of this report's parameters: dateFrom, dateTo, timezone",
      `/configurationReportParameters/0/name: one of this format's parameters: ${IN_FORMAT}`,
    ],
  ],
  ...['constructor', '__proto__', 'toString'].map((name) => {
    const configuration = [{ type: 'INPUT_TEXT', name, value: 'x' }]
    const fault = `/configurationReportParameters/0/name: one of this format's parameters: ${IN_FORMAT}`
    return [name, {}, { configuration }, [fault]] as const
  }),
  [
    'a name that occurs twice, with the same value',
    {},
    { configuration: [...parametersIn({ header: 'on' }), ...parametersIn({ header: 'on' })] },
    ['/configurationReportParameters/1/name: header once'],
  ],
  [
    'two time zones',
    ONE_AXIS,
    { ...inputs({ timezone: 'Europe/Berlin' }), ...configured({ timezone: 'UTC' }) },
    ['/configurationReportParameters: the timezone of inputReportParameters, or none'],
  ],
  [
    'an axis that the report has not',
    { period: { axes: AXES } },
    inputs({ dateAxis: 'Bank' }),
    ['/inputReportParameters/0/value: for dateAxis one of created, bank'],
  ],
  [
    'an axis of a report with one',
    ONE_AXIS,
    inputs({ dateAxis: 'created' }),
    ["/inputReportParameters/0/name: one of this report's parameters: dateFrom, dateTo, timezone"],
  ],
  [
    'a period of a report without one',
    {},
    inputs({ dateFrom: '2026-01-01' }),
    ["/inputReportParameters/0/name: one of this report's parameters: timezone"],
  ],
])('names %s', (_, asked, lists, faults) => {
  expect(faultsOf(template(asked), lists)).toEqual(faults)
})

test('lists all faults of both lists', () => {
  const parameters = [{ name: 'n', title: 'N', type: 'INPUT_NUMBER' }]
  const faults = faultsOf(template({ period: { axes: AXES }, parameters }), {
    ...inputs({ dateFrom: 'yesterday', n: 'many', more: '1', timezone: 'Mars/Olympus' }),
    ...configured({ quote: 'some', decimals: '4', timezone: 'Mars/Olympus' }),
  })
  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    '/inputReportParameters/2/name',
    '/inputReportParameters/0/value',
    '/inputReportParameters/3/value',
    '/inputReportParameters/1/value',
    '/configurationReportParameters/2/value',
    '/configurationReportParameters/0/value',
    '/configurationReportParameters/1/value',
  ])
})

const both = parametersIn({ ...OCTOBER, timezone: 'Europe/Berlin' })

test.each<[string, Lists]>([
  ['the input list', { input: both }],
  ['the other list', { ...inputs(OCTOBER), ...configured({ timezone: 'Europe/Berlin' }) }],
  ['both lists', { input: both, ...configured({ timezone: 'Europe/Berlin' }) }],
])('the time zone in %s applies to bounds and to printing', (_, lists) => {
  expect(read(template(ONE_AXIS), lists).input).toEqual({
    timezone: 'Europe/Berlin',
    dateFrom: '2026-09-30 22:00:00.000',
    dateTo: '2026-10-31 23:00:00.000',
  })
})

describe('a period', () => {
  const asked = template({ period: { axes: AXES, required: true, daysMax: 31 } })
  const AFTER = ['/inputReportParameters: a dateTo that is after dateFrom']
  const TOO_LONG = ['/inputReportParameters: a period of at most 31 days, got 32']

  test.each([
    ['2026-01-01', '2026-02-01', 'UTC', []],
    // Clocks go back by an hour or by half an hour, so the period is longer than 31 times 24 hours.
    ['2026-10-01', '2026-11-01', 'Europe/Berlin', []],
    ['2026-03-20', '2026-04-20', 'Australia/Lord_Howe', []],
    // Clocks go forward.
    ['2026-03-01', '2026-04-01', 'Europe/Berlin', []],
    ['2026-01-01', '2026-02-02', 'UTC', TOO_LONG],
    ['2026-03-01', '2026-04-02', 'Europe/Berlin', TOO_LONG],
    ['2026-01-01 00:00', '2026-02-01 12:00', 'UTC', TOO_LONG],
    ['2026-01-02', '2026-01-01', 'UTC', AFTER],
    ['2026-01-01', '2026-01-01', 'UTC', AFTER],
    ['2026-01-01 10:00:00.001', '2026-01-01 10:00:00.001', 'UTC', AFTER],
    ['2026-01-01 10:00:00.000', '2026-01-01 10:00:00.001', 'UTC', []],
  ])('from %s to %s in %s has the faults %j', (dateFrom, dateTo, timezone, faults) => {
    expect(faultsOf(asked, inputs({ dateFrom, dateTo, timezone }))).toEqual(faults)
  })

  test('may be the complete calendar if the report sets no limit, by any of its axes', () => {
    const open = template({ period: { axes: AXES } })
    const calendar = { dateFrom: '1900-01-01', dateTo: '2299-12-31', dateAxis: 'bank' }
    expect(read(open, inputs(calendar)).input['dateAxis']).toBe('bank')
    expect(faultsOf(open, inputs({ dateTo: '2026-01-01' }))).toEqual([])
  })
})
