import type { InputParameter } from '@counterfoil/protocol'
import { expect, test } from 'vitest'
import { noteDecimals } from './note-decimals.ts'

const request = { reportIdentifier: 'transactions-list' }
const GERMAN = { LANG: 'de_DE.UTF-8' }

test.each([
  [GERMAN, 'de-DE'],
  [{ LANG: 'en_US.UTF-8', LC_NUMERIC: 'fr_FR' }, 'fr-FR'],
  [{ LANG: 'de_DE', LC_ALL: 'pl_PL@x' }, 'pl-PL'],
])('with %j names --for-excel %s', (env, locale) => {
  expect(noteDecimals(request, env)).toMatch(new RegExp(`\\nFor .* --for-excel ${locale}\\n$`))
})

test.each([
  { LANG: 'en_GB.UTF-8' },
  { LANG: 'C.UTF-8' },
  { LANG: 'de_DE', LC_ALL: 'C' },
  { LANG: 'no locale' },
])('says nothing with %j', (env) => {
  expect(noteDecimals(request, env)).toBe('')
})

test('says nothing for other formats, and when the request chooses the separator', () => {
  const parameter = (name: string, value: string): InputParameter => {
    return { type: 'INPUT_TEXT', name, value }
  }
  const asked = (name: string, value: string) => {
    return noteDecimals(
      { ...request, configurationReportParameters: [parameter(name, value)] },
      GERMAN,
    )
  }
  expect(noteDecimals({ ...request, reportFormat: 'XLSX' }, GERMAN)).toBe('')
  expect(asked('spreadsheet', 'en-GB')).toBe('')
  expect(asked('decimalSeparator', '.')).toBe('')
  expect(asked('decimals', '2')).not.toBe('')
})
