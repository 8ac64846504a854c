import { expect, test } from 'vitest'
import { toReportRequest } from '../report/report-options.ts'
import { splitPeriod } from './split-period.ts'

function partsOf(dateFrom?: string, dateTo?: string): readonly (readonly string[])[] {
  const request = toReportRequest('x', { timezone: 'Europe/Riga', dateFrom, dateTo })
  return splitPeriod(request).map((part) => {
    const ends = part.request.inputReportParameters?.filter(({ name }) => name.startsWith('date'))
    return [part.day, ...(ends ?? []).map(({ value }) => value)]
  })
}

test.each([
  ['2026-05-01', '2026-05-02', [['2026-05-01', '2026-05-01', '2026-05-02']]],
  [
    '2026-02-27 13:45',
    '2026-03-01T10:00:00.5',
    [
      ['2026-02-27', '2026-02-27 13:45', '2026-02-28'],
      ['2026-02-28', '2026-02-28', '2026-03-01'],
      ['2026-03-01', '2026-03-01', '2026-03-01 10:00:00.5'],
    ],
  ],
  [
    '2026-12-31T00:00',
    '2027-01-02 00:00:00',
    [
      ['2026-12-31', '2026-12-31', '2027-01-01'],
      ['2027-01-01', '2027-01-01', '2027-01-02'],
    ],
  ],
])('splits %s to %s at every midnight', (from, to, expected) => {
  expect(partsOf(from, to)).toEqual(expected)
})

test('keeps the other members of the request', () => {
  const request = toReportRequest('x', {
    dateFrom: '2026-05-01',
    dateTo: '2026-05-03',
    timezone: 'Europe/Riga',
    columns: ['Id'],
  })
  const [, second] = splitPeriod(request)
  expect(second?.request).toEqual({
    reportIdentifier: 'x',
    inputReportParameters: [
      { type: 'INPUT_TEXT', name: 'timezone', value: 'Europe/Riga' },
      { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-05-02' },
      { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-05-03' },
    ],
    outputReportParameters: ['Id'],
  })
})

test.each([
  [undefined, '2026-05-01', /^split: expected dateFrom to be a day or a time, got none/],
  ['2026-05-01', 'tomorrow', /^split: expected dateTo to be a day or a time, got "tomorrow"/],
  ['2026-05-01', '2026-05-01', /^split: dateTo must be after dateFrom/],
  ['2026-99-01', '2026-05-01', /^split: expected dateFrom/],
])('refuses a period from %s to %s', (from, to, message) => {
  expect(() => partsOf(from, to)).toThrow(message)
})

test('refuses totals', () => {
  const options = {
    dateFrom: '2026-05-01',
    dateTo: '2026-05-03',
    configuration: { totals: 'only' },
  }
  expect(() => splitPeriod(toReportRequest('x', options))).toThrow(/^split: totals/)
})
