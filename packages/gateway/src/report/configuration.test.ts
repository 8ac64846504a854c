import { expect, test } from 'vitest'
import { SPREADSHEETS } from './configuration.ts'

const OCTOBER_31 = Date.UTC(2026, 9, 31)

test.each(SPREADSHEETS.map((spreadsheet) => [spreadsheet.locale, spreadsheet] as const))(
  'the settings of %s are those that Intl knows',
  (locale, { delimiter, configuration }) => {
    const { decimalSeparator, dateFormat } = configuration
    const number = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1.5)
    expect(number.find(({ type }) => type === 'decimal')?.value).toBe(decimalSeparator)
    // A comma cannot end a field where it begins a fraction.
    expect(delimiter).not.toBe(decimalSeparator)
    const day = new Intl.DateTimeFormat(locale, {
      day: '2-digit',
      month: '2-digit',
      year: 'numeric',
      timeZone: 'UTC',
      calendar: 'gregory',
      numberingSystem: 'latn',
    }).format(OCTOBER_31)
    const ours = dateFormat === 'ISO' || /^31\. ?10\. ?2026/.test(day)
    expect([day, ours]).toEqual([day, true])
  },
)

test('has the locales in order, each once', () => {
  const locales = SPREADSHEETS.map(({ locale }) => locale)
  expect(locales).toEqual([...new Set(locales)].toSorted())
  expect(locales).toEqual(expect.arrayContaining(['de-DE', 'en-US', 'fr-FR', 'ja-JP', 'zh-CN']))
})
