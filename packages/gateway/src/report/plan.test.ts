import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readYaml } from '../config/read-yaml.ts'
import { FORMATS } from '../format/formats.ts'
import { templateSchema } from '../templates/template.ts'
import { planReport } from './plan.ts'

const FILE = join(import.meta.dirname, '../../../../reports/transactions-list.yaml')
const HOSTILE = "x') OR 1=1 --"

const plan = {
  template: readYaml(FILE, templateSchema).value,
  values: { timezone: 'Europe/Berlin', statuses: [HOSTILE] },
  scope: { condition: "merchant_id IN (1, 2) AND currency IN ('EUR')" },
  format: FORMATS.CSV,
  envelope: {
    reportIdentifier: 'transactions-list',
    reportEncode: 'UTF-8',
    reportName: HOSTILE,
    reportCsvDelimiter: ';',
    reportFormat: 'CSV',
    configurationReportParameters: [],
    inputReportParameters: [],
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
  now: Date.UTC(2026, 10, 20, 10),
}

test('what a caller writes is bound, and never a part of the query', () => {
  const query = planReport(plan)
  expect(query.parameters).toEqual({ ...plan.values, now: '2026-11-20 10:00:00.000' })
  expect(query.sql).not.toContain(HOSTILE)
  expect(Object.values(query.settings)).not.toContain(HOSTILE)
})

test('a condition is there when its parameter is, and only then', () => {
  const { sql } = planReport(plan)
  expect(sql).toContain('(status IN {statuses:Array(String)})')
  expect(sql).not.toContain('{dateFrom')
  expect(sql).not.toContain('{types')
})

test('the scope lies on the table, below whatever the report says', () => {
  const { settings } = planReport(plan)
  expect(settings).toMatchObject({
    readonly: 1,
    additional_table_filters: `{'transactions': 'merchant_id IN (1, 2) AND currency IN (\\'EUR\\')'}`,
  })
  const everything = planReport({ ...plan, scope: { condition: '' } })
  expect(everything.settings).not.toHaveProperty('additional_table_filters')
})
