import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readYaml } from '../../../common/src/read-yaml.ts'
import { templateSchema } from '../../../templates/src/template/template.ts'
import { createdDaysQuery } from './created-days.ts'

const FILE = join(import.meta.dirname, '../../../../reports/transactions-list.yaml')
const template = readYaml(FILE, templateSchema).value
const FROM = { dateFrom: '2026-05-01 00:00:00.000' }
const INPUT = { ...FROM, dateTo: '2026-06-01 00:00:00.000', timezone: 'Europe/Berlin' }

function havingOf(input: Parameters<typeof createdDaysQuery>[1]): string | undefined {
  return createdDaysQuery(template, input)?.sql.split('HAVING ')[1]
}

test('reads a day if its latest date is not before the period and its earliest not after it', () => {
  expect(havingOf({ ...INPUT, dateAxis: 'settled' })).toBe(
    "max(settled_at\n) >= {dateFrom:DateTime64(3, 'UTC')} AND min(settled_at\n) < {dateTo:DateTime64(3, 'UTC')}",
  )
})

test('compares a date with the days of the bounds in the report’s time zone', () => {
  expect(havingOf({ ...FROM, timezone: 'Asia/Tokyo', dateAxis: 'bank' })).toBe(
    "max(bank_date\n) >= toDate32(toTimeZone({dateFrom:DateTime64(3, 'UTC')}, {timezone:String}))",
  )
})

test('makes no query for a period by created_at, or for a period without bounds', () => {
  expect(havingOf(INPUT)).toBeUndefined()
  expect(havingOf({ ...INPUT, dateAxis: 'created' })).toBeUndefined()
  expect(havingOf({ timezone: 'UTC', dateAxis: 'settled' })).toBeUndefined()
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
