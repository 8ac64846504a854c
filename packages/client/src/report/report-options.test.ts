import { expect, test } from 'vitest'
import { toReportRequest } from './report-options.ts'

const text = (name: string, value: string) => ({ type: 'INPUT_TEXT', name, value })

test('turns every option into the member of the request', () => {
  const request = toReportRequest('transactions-list', {
    dateFrom: '2026-05-01',
    dateTo: undefined,
    timezone: 'Europe/Riga',
    statuses: ['approved', 'declined'],
    big: true,
    columns: ['Amount', { name: 'Currency', title: 'Währung' }],
    filters: { merchants: [1, '2'] },
    configuration: { decimals: 2 },
    name: 'may',
    format: 'CSV',
    encoding: 'windows-1251',
    delimiter: ';',
  })
  expect(request).toEqual({
    reportIdentifier: 'transactions-list',
    reportName: 'may',
    reportFormat: 'CSV',
    reportEncode: 'windows-1251',
    reportCsvDelimiter: ';',
    inputReportParameters: [
      text('dateFrom', '2026-05-01'),
      text('timezone', 'Europe/Riga'),
      text('statuses', 'approved,declined'),
      text('big', 'true'),
    ],
    configurationReportParameters: [text('decimals', '2')],
    outputReportParameters: ['Amount', text('Currency', 'Währung')],
    filters: { merchants: [1, '2'] },
  })
})

test.each([
  ['a date', new Date()],
  ['null', null],
  ['an object', {}],
  ['a list of objects', [{}]],
])('refuses %s as the value of a parameter', (_, value) => {
  // Programs without types can pass anything.
  expect(() => toReportRequest('x', { dateFrom: value as never })).toThrow(
    /^dateFrom: expected a text, a number/,
  )
})

test('keeps the members of a request that no option sets', () => {
  const request = {
    reportIdentifier: 'x',
    reportFormat: 'PDF',
    inputReportParameters: [
      { type: 'INPUT_DATE', name: 'dateFrom', value: '2026-01-01' },
      { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-02-01' },
    ],
    filters: { currencies: ['EUR'] },
  } as const
  expect(toReportRequest(request)).toEqual(request)
  expect(toReportRequest(request, { dateTo: '2026-03-01', filters: { merchants: [1] } })).toEqual({
    ...request,
    inputReportParameters: [request.inputReportParameters[0], text('dateTo', '2026-03-01')],
    filters: { currencies: ['EUR'], merchants: [1] },
  })
})
