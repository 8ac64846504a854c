import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readYaml } from '../../../common/src/read-yaml.ts'
import { templateSchema } from '../../../templates/src/template/template.ts'
import { createdDaysQuery } from './created-days.ts'

const FILE = join(import.meta.dirname, '../../../../reports/transactions-list.yaml')
const template = readYaml(FILE, templateSchema).value
const ENDS = { dateFrom: '2026-05-01 00:00:00.000', dateTo: '2026-06-01 00:00:00.000' }
const INPUT = { ...ENDS, timezone: 'Europe/Berlin' }

test('makes no query for a period by created_at, or for a period without bounds', () => {
  expect(createdDaysQuery(template, { ...INPUT, dateAxis: 'settled' })).toBeDefined()
  expect(createdDaysQuery(template, INPUT)).toBeUndefined()
  expect(createdDaysQuery(template, { ...INPUT, dateAxis: 'created' })).toBeUndefined()
  expect(createdDaysQuery(template, { timezone: 'UTC', dateAxis: 'settled' })).toBeUndefined()
})

test('makes no query if a column’s name may mean something else', () => {
  const input = { ...INPUT, dateAxis: 'settled' }
  const from = 'SELECT created_at, created_at + INTERVAL 1 YEAR AS settled_at FROM transactions'
  const axes = { settled: { sql: 'ifNull(settled_at, processed_at)', kind: 'time' } } as const
  for (const change of [{ from }, { rows: 'statements' }, { period: undefined }] as const)
    expect(createdDaysQuery({ ...template, ...change }, input)).toBeUndefined()
  expect(
    createdDaysQuery({ ...template, period: { axes, required: false } }, input),
  ).toBeUndefined()
})
