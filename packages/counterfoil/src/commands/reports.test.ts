import { expect, test } from 'vitest'
import { describeReport } from './reports.ts'

test('quotes the values that would read as punctuation', () => {
  const parameter = {
    title: 'A parameter',
    type: 'INPUT_SELECT',
    required: false,
    list: false,
  } as const
  const text = describeReport(
    {
      reportIdentifier: 'own',
      title: 'Own',
      columns: [],
      formats: ['CSV'],
      inputReportParameters: [],
      configurationReportParameters: [
        { ...parameter, name: 'decimalSeparator', allowed: ['.', ','], default: '.' },
        { ...parameter, name: 'lineEnd', allowed: ['CRLF', 'LF'], default: 'CRLF' },
      ],
    },
    120,
  )
  expect(text).toContain('A parameter (one of ".", ","; default ".")')
  expect(text).toContain('A parameter (one of CRLF, LF; default CRLF)')
})
