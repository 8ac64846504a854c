import { expect, test } from 'vitest'
import { reportFile } from '../../../gateway/test/kit/report-file.ts'
import { type DateFormat, PLAIN_STYLE } from '../../../engine/src/dialect/column-kinds.ts'
import type { ReportAbout } from '../format/format.ts'
import { reportFacts } from './report-facts.ts'

function factsOf(
  parameters: ReportAbout['parameters'],
  dateFormat: DateFormat = 'ISO',
): ReadonlyMap<string, string> {
  const file = reportFile(
    [],
    { parameters, timezone: 'Europe/Berlin', filters: { currencies: ['EUR', 'USD'] } },
    { values: { ...PLAIN_STYLE, dateFormat } },
  )
  return new Map(reportFacts(file).map(({ label, values }) => [label, values.join(', ')]))
}

const [FROM, TO] = ['2026-09-30 22:00:00.000', '2026-10-31 23:00:00.000']

test.each([
  [{}, 'All days'],
  [{ dateFrom: FROM, dateTo: TO }, '2026-10-01 to 2026-10-31'],
  [{ dateFrom: FROM, dateTo: '2026-10-01 22:00:00.000' }, '2026-10-01'],
  // The clocks change on this day, so it has 25 hours.
  [{ dateFrom: '2026-10-24 22:00:00.000', dateTo: '2026-10-25 23:00:00.000' }, '2026-10-25'],
  [{ dateFrom: FROM }, 'From 2026-10-01'],
  [{ dateTo: TO }, 'Until 2026-10-31'],
  [{ dateTo: '2026-10-01 10:30:00.000' }, 'Until 2026-10-01 12:30:00, the end not included'],
  [
    { dateFrom: FROM, dateTo: '2026-10-01 10:30:00.000', dateAxis: 'bank' },
    '2026-10-01 00:00:00 to 2026-10-01 12:30:00, the end not included, by the bank date',
  ],
])('the period %j is %j', (parameters, text) => {
  expect(factsOf(parameters).get('Period')).toBe(text)
})

test('names filters and parameters in words, and writes days in the format of the document', () => {
  const parameters = { dateFrom: FROM, dateTo: TO, statementId: '7', onlyDifferences: false }
  const facts = factsOf(parameters, 'DD.MM.YYYY')
  expect([...facts]).toEqual([
    ['Login', 'any'],
    ['Period', '01.10.2026 to 31.10.2026'],
    ['Time zone', 'Europe/Berlin'],
    ['Currencies', 'EUR, USD'],
    ['Statement id', '7'],
    ['Only differences', 'no'],
    ['Made at', '01.01.1970 01:00:00'],
  ])
})
