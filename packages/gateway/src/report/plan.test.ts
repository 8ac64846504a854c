import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readYaml } from '../config/read-yaml.ts'
import { FORMATS } from '../format/formats.ts'
import { templateSchema } from '../templates/template.ts'
import { type PlanParts, planReport } from './plan.ts'

const FILE = join(import.meta.dirname, '../../../../reports/transactions-list.yaml')
const HOSTILE = "x') OR 1=1 --"

const template = readYaml(FILE, templateSchema).value
const CONFIGURATION = {
  timezone: 'Europe/Berlin',
  header: 'on',
  quote: 'all',
  lineEnd: 'CRLF',
  bom: 'off',
  decimals: '3',
  decimalSeparator: '.',
  neutralise: 'off',
  totals: 'off',
}
const plan = {
  template,
  values: {
    input: { timezone: 'Europe/Berlin', dateAxis: 'created', statuses: [HOSTILE] },
    configuration: CONFIGURATION,
  },
  scope: {
    conditions: new Map([
      ['transactions', "merchant_id IN (1, 2) AND currency IN ('EUR')"],
      ['merchants', 'merchant_id IN (1, 2)'],
    ] as const),
  },
  format: FORMATS.CSV,
  envelope: {
    reportIdentifier: 'transactions-list',
    reportEncode: 'UTF-8',
    reportName: HOSTILE,
    reportCsvDelimiter: ';',
    reportFormat: 'CSV',
    configurationReportParameters: [],
    inputReportParameters: [],
    outputReportParameters: [{ type: 'INPUT_TEXT', name: 'Amount', value: HOSTILE }],
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
  role: 'merchant',
  now: Date.UTC(2026, 10, 20, 10),
} satisfies PlanParts

test('what a caller writes is bound or in the head, and never a part of the query', () => {
  const { head, query } = planReport(plan)
  expect(query.parameters).toEqual({ ...plan.values.input, now: '2026-11-20 10:00:00.000' })
  expect(query.sql).not.toContain(HOSTILE)
  expect(Object.values(query.settings)).not.toContain(HOSTILE)
  expect(Buffer.from(head).toString()).toBe(`"${HOSTILE}"\r\n`)
})

test('a condition is there when its parameter is, and only then', () => {
  const { sql } = planReport(plan).query
  expect(sql).toContain('(status IN {statuses:Array(String)}\n)')
  expect(sql).not.toContain('{dateFrom')
  expect(sql).not.toContain('{types')
})

test('the ends of the period are held against the axis that was chosen, a day as the clocks show it', () => {
  const sqlOf = (dateAxis: string): string => {
    const ends = { dateFrom: '2026-01-01 00:00:00.000', dateTo: '2026-02-01 00:00:00.000' }
    const input = { ...plan.values.input, ...ends, dateAxis }
    return planReport({ ...plan, values: { ...plan.values, input } }).query.sql
  }
  expect(sqlOf('created')).toContain("(created_at\n) >= {dateFrom:DateTime64(3, 'UTC')}")
  expect(sqlOf('created')).toContain("(created_at\n) < {dateTo:DateTime64(3, 'UTC')}")
  expect(sqlOf('settled')).toContain("(settled_at\n) < {dateTo:DateTime64(3, 'UTC')}")
  expect(sqlOf('bank')).toContain(
    "(bank_date\n) < toDate32(toTimeZone({dateTo:DateTime64(3, 'UTC')}, {timezone:String}))",
  )
})

test('the days that have to be read are one more condition, and are bound', () => {
  const createdDays = ['2026-01-30', '2026-02-01']
  const { sql, parameters } = planReport({ ...plan, createdDays }).query
  expect(sql).toContain('WHERE toDate32(created_at) IN {_createdDays:Array(Date32)}\n')
  expect(parameters['_createdDays']).toEqual(createdDays)
  expect(planReport(plan).query.sql).not.toContain('_createdDays')
})

test('the scope lies on every table, below whatever the report says', () => {
  const { settings } = planReport(plan).query
  expect(settings).toMatchObject({
    readonly: 1,
    final: 1,
    additional_table_filters:
      "{'default.transactions': 'merchant_id IN (1, 2) AND currency IN (\\'EUR\\')', " +
      "'default.merchants': 'merchant_id IN (1, 2)'}",
  })
  // The engine takes the first entry that matches the alias of a table or its name.
  const own = 'merchant_id IN (1, 2)'
  const conditions = new Map([['unfiltered', own], ...plan.scope.conditions] as const)
  const narrowed = planReport({ ...plan, scope: { conditions } }).query.settings
  expect(narrowed).toMatchObject({
    additional_table_filters: expect.stringMatching(
      /^\{'unfiltered': 'merchant_id IN \(1, 2\)', 'default\.transactions': /,
    ),
  })
  const everything = planReport({ ...plan, scope: { conditions: new Map() } })
  expect(everything.query.settings).not.toHaveProperty('additional_table_filters')
})

test('a lone column is quoted whatever is asked: an empty field would be an empty line', () => {
  const configuration = { ...CONFIGURATION, quote: 'minimal' }
  const values = { ...plan.values, configuration }
  expect(planReport({ ...plan, values }).query.sql).toContain(`concat('"', ifNull(`)
  const outputReportParameters = ['Amount', 'Currency']
  const envelope = { ...plan.envelope, outputReportParameters }
  expect(planReport({ ...plan, values, envelope }).query.sql).toContain('concat(if(match(')
})

test('a title that begins like a formula gets an apostrophe where that is asked for', () => {
  const headOf = (title: string, neutralise: string) => {
    const configuration = { ...CONFIGURATION, neutralise }
    const columns = [{ type: 'INPUT_TEXT', name: 'Amount', value: title } as const]
    const envelope = { ...plan.envelope, outputReportParameters: columns }
    const { head } = planReport({ ...plan, values: { ...plan.values, configuration }, envelope })
    return Buffer.from(head).toString()
  }
  for (const title of ['=1+1', '+1', '-1', '@a', ' =1', '\u{FF1D}1', '\u{A0}\u{FF20}a']) {
    expect(headOf(title, 'off')).toBe(`"${title}"\r\n`)
    expect(headOf(title, 'on')).toBe(`"'${title}"\r\n`)
  }
  expect(headOf('Net = gross - fee', 'on')).toBe('"Net = gross - fee"\r\n')
})

test('totals come with titles of their own, and take no choice of columns', () => {
  const values = { ...plan.values, configuration: { ...CONFIGURATION, totals: 'only' } }
  expect(() => planReport({ ...plan, values })).toThrow('none beside totals')
  const envelope = { ...plan.envelope, outputReportParameters: [] }
  const { head, query } = planReport({ ...plan, values, envelope })
  expect(Buffer.from(head).toString()).toBe(
    '"Currency";"Transaction_type";"Status";"Rows";"Amount"\r\n',
  )
  expect(query.sql).toContain('GROUP BY key_0')
  const { totals: _, ...without } = template
  expect(() => planReport({ ...plan, values, envelope, template: without })).toThrow(
    'this report has none',
  )
})
