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

describe('a request without parameters', () => {
  test('gets the default of every configuration parameter', () => {
    expect(read(template({}), {})).toEqual({
      input: { timezone: 'UTC' },
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

  test('gets the defaults of the report, and no value without a default', () => {
    const parameters = [
      { name: 'a', title: 'A', type: 'INPUT_NUMBER', default: '7' },
      { name: 'b', title: 'B', type: 'INPUT_TEXT' },
    ]
    const { input } = read(template({ parameters, period: { axes: AXES } }), {})
    expect(input).toEqual({ a: '7', dateAxis: 'created', timezone: 'UTC' })
  })

  test('gets an error that names the required parameters', () => {
    const parameters = [{ name: 'a', title: 'A', type: 'INPUT_TEXT', required: true }]
    const period = { axes: AXES, required: true }
    expect(faultsOf(template({ parameters, period }), {})).toEqual([
      '/inputReportParameters: the parameter dateFrom',
      '/inputReportParameters: the parameter dateTo',
      '/inputReportParameters: the parameter a',
    ])
  })
})

test.each([...INPUT_TYPES, 'text', ''])('the type %j of an element does not matter', (type) => {
  const asked = template({ parameters: [{ name: 'a', title: 'A', type: 'INPUT_NUMBER' }] })
  const { input } = read(asked, { input: [{ type, name: 'a', value: '1' }] })
  expect(input).toMatchObject({ a: '1' })
})

describe('an empty value', () => {
  const parameters = [
    { name: 'a', title: 'A', type: 'INPUT_NUMBER', default: '7' },
    { name: 'b', title: 'B', type: 'INPUT_TEXT' },
    { name: 'c', title: 'C', type: 'INPUT_SELECT', allowed: ['x'], list: true },
  ]
  const blank = parametersIn({ a: '', b: '', c: '', dateFrom: '', dateAxis: '', timezone: '' })

  test('is not set: the parameter has its default or no value', () => {
    const asked = template({ parameters, period: { axes: AXES } })
    const configuration = parametersIn({ header: '', timezone: 'Europe/Berlin', spreadsheet: '' })
    const values = read(asked, { input: blank, configuration })
    expect(values.input).toEqual({ a: '7', dateAxis: 'created', timezone: 'Europe/Berlin' })
    expect(values.configuration['header']).toBe('on')
  })

  test('of a required parameter is a fault', () => {
    const required = template({ parameters: [], period: { axes: AXES, required: true } })
    const input = parametersIn({ dateFrom: '', dateTo: '2026-01-01' })
    expect(faultsOf(required, { input })).toEqual([
      '/inputReportParameters/0/value: the parameter dateFrom',
    ])
  })
})

test('a name that the report ignores has no effect, whatever its value', () => {
  const asked = template({ parameters: [], ignores: ['example'] })
  const input = parametersIn({ example: 'x' })
  expect(read(asked, { input: [...input, ...input] })).toEqual(read(asked, {}))
  expect(faultsOf(template({ parameters: [] }), { input })).toHaveLength(1)
})

describe('a name', () => {
  test('that is unknown gets an error that lists the known names, in either list', () => {
    const asked = template({ period: { axes: { created: { sql: 'created_at' } } } })
    const faults = faultsOf(asked, {
      input: parametersIn({ header: 'on' }),
      configuration: parametersIn({ dateFrom: '2026-01-01' }),
    })
    expect(faults).toEqual([
      "/inputReportParameters/0/name: one of this report's parameters: dateFrom, dateTo, timezone",
      "/configurationReportParameters/0/name: one of this format's parameters: " +
        'timezone, spreadsheet, header, quote, lineEnd, bom, unencodable, decimals, decimalSeparator, dateFormat, ids, neutralise, totals, controlTotals',
    ])
  })

  test('may occur once, even with the same value', () => {
    const twice = [...parametersIn({ header: 'on' }), ...parametersIn({ header: 'on' })]
    expect(faultsOf(template({}), { configuration: twice })).toEqual([
      '/configurationReportParameters/1/name: header once',
    ])
  })

  test('that every object has is unknown', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      const [fault] = faultsOf(template({}), {
        input: parametersIn({}),
        configuration: [{ type: 'INPUT_TEXT', name, value: 'x' }],
      })
      expect(fault).toContain('/configurationReportParameters/0/name: one of')
    }
  })
})

describe('the time zone', () => {
  const asked = template({ period: { axes: { created: { sql: 'created_at' } } } })
  const october = { dateFrom: '2026-10-01', dateTo: '2026-11-01' }
  const zone = (timezone: string) => parametersIn({ timezone })

  const both = parametersIn({ ...october, timezone: 'Europe/Berlin' })

  test.each<[string, Lists]>([
    ['the input list', { input: both }],
    ['the other list', { input: parametersIn(october), configuration: zone('Europe/Berlin') }],
    ['both lists', { input: both, configuration: zone('Europe/Berlin') }],
  ])('in %s applies to bounds and to printing', (_, lists) => {
    const { input } = read(asked, lists)
    expect(input).toEqual({
      timezone: 'Europe/Berlin',
      dateFrom: '2026-09-30 22:00:00.000',
      dateTo: '2026-10-31 23:00:00.000',
    })
  })

  test('must be the same in both lists', () => {
    expect(faultsOf(asked, { input: zone('Europe/Berlin'), configuration: zone('UTC') })).toEqual([
      '/configurationReportParameters: the timezone of inputReportParameters, or none',
    ])
  })

  test('is a fault of the list that holds it, if it is unknown', () => {
    const input = [
      expect.stringMatching(/^\/inputReportParameters\/0\/value: for timezone an IANA time zone/),
    ]
    expect(faultsOf(asked, { input: zone('Mars/Olympus') })).toEqual(input)
    const configuration = faultsOf(asked, { configuration: zone('Mars/Olympus') })
    expect(configuration).toEqual([
      expect.stringMatching(
        /^\/configurationReportParameters\/0\/value: for timezone an IANA time zone/,
      ),
    ])
  })
})

describe('a period', () => {
  const asked = template({ period: { axes: AXES, required: true, daysMax: 31 } })
  const period = (dateFrom: string, dateTo: string, timezone = 'UTC') => {
    return faultsOf(asked, { input: parametersIn({ dateFrom, dateTo, timezone }) })
  }

  test('must end after it begins', () => {
    const fault = ['/inputReportParameters: a dateTo that is after dateFrom']
    expect(period('2026-01-02', '2026-01-01')).toEqual(fault)
    expect(period('2026-01-01', '2026-01-01')).toEqual(fault)
    expect(period('2026-01-01 10:00:00.001', '2026-01-01 10:00:00.001')).toEqual(fault)
    expect(period('2026-01-01 10:00:00.000', '2026-01-01 10:00:00.001')).toEqual([])
  })

  test.each([
    ['2026-01-01', '2026-02-01', 'UTC'],
    // Clocks go back by an hour or by half an hour, so the period is longer than 31 times 24 hours.
    ['2026-10-01', '2026-11-01', 'Europe/Berlin'],
    ['2026-03-20', '2026-04-20', 'Australia/Lord_Howe'],
    // Clocks go forward.
    ['2026-03-01', '2026-04-01', 'Europe/Berlin'],
  ])('may have 31 days: %s to %s in %s', (from, to, zone) => {
    expect(period(from, to, zone)).toEqual([])
  })

  test.each([
    ['2026-01-01', '2026-02-02', 'UTC', 32],
    ['2026-03-01', '2026-04-02', 'Europe/Berlin', 32],
    ['2026-01-01 00:00', '2026-02-01 12:00', 'UTC', 32],
  ])('may not be longer: %s to %s in %s', (from, to, zone, days) => {
    expect(period(from, to, zone)).toEqual([
      `/inputReportParameters: a period of at most 31 days, got ${days}`,
    ])
  })

  test('may be the complete calendar if the report sets no limit', () => {
    const open = template({ period: { axes: AXES } })
    const input = parametersIn({ dateFrom: '1900-01-01', dateTo: '2299-12-31' })
    expect(faultsOf(open, { input })).toEqual([])
    expect(faultsOf(open, { input: parametersIn({ dateTo: '2026-01-01' }) })).toEqual([])
  })

  test('may name only an axis of the report', () => {
    const open = template({ period: { axes: AXES } })
    const axis = (dateAxis: string) => ({ input: parametersIn({ dateAxis }) })
    expect(read(open, axis('bank')).input['dateAxis']).toBe('bank')
    expect(faultsOf(open, axis('Bank'))).toEqual([
      '/inputReportParameters/0/value: for dateAxis one of created, bank',
    ])
    const single = template({ period: { axes: { created: { sql: 'created_at' } } } })
    expect(faultsOf(single, axis('created'))).toEqual([
      "/inputReportParameters/0/name: one of this report's parameters: dateFrom, dateTo, timezone",
    ])
    expect(faultsOf(template({}), { input: parametersIn({ dateFrom: '2026-01-01' }) })).toEqual([
      "/inputReportParameters/0/name: one of this report's parameters: timezone",
    ])
  })
})

test('lists all faults of both lists', () => {
  const asked = template({
    period: { axes: AXES },
    parameters: [{ name: 'n', title: 'N', type: 'INPUT_NUMBER' }],
  })
  const input = parametersIn({ dateFrom: 'yesterday', n: 'many', more: '1' })
  const faults = faultsOf(asked, {
    input,
    configuration: parametersIn({ quote: 'some', decimals: '4' }),
  })
  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    '/inputReportParameters/2/name',
    '/inputReportParameters/0/value',
    '/inputReportParameters/1/value',
    '/configurationReportParameters/0/value',
    '/configurationReportParameters/1/value',
  ])
})
