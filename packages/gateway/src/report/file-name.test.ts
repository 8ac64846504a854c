import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileNameOf } from './file-name.ts'

test.each([
  ['may', 'may.csv'],
  ['may.csv', 'may.csv'],
  ['may.CSV', 'may.CSV'],
  ['may.csv.exe', 'may.csv.exe.csv'],
  ['Отчёт за май', 'Отчёт за май.csv'],
  ['e\u0301te\u0301', 'été.csv'],
  ['../../etc/passwd', '_.._etc_passwd.csv'],
  ['C:\\temp\\x', 'C_temp_x.csv'],
  ['a<b>|"c"?*', 'a_b_c_.csv'],
  ['line\r\nbreak\u0000\u2028', 'line_break_.csv'],
  ['\u202etxt.exe', '_txt.exe.csv'],
  ['\ud83d', '\ufffd.csv'],
  [' . hidden . ', 'hidden.csv'],
  ['may. . ', 'may.csv'],
  [' may.csv.', 'may.csv'],
  ['...', 'report.csv'],
  ['', 'report.csv'],
  ['of 4111 1111 1111 1111', '[masked].csv'],
  ['4111<<:>>1111<<:>>1111<<:>>1111', '[masked].csv'],
  ...['CON', 'Prn', 'lpt9', 'COM¹', 'conout$'].map((device) => [device, `_${device}.csv`]),
  ['NUL.csv', '_NUL.csv'],
  ['NUL .csv', '_NUL .csv'],
  [' NUL. ', '_NUL.csv'],
  ...['CONSOLE', 'COM', 'COM10', 'LPT', 'nully', 'x.NUL'].map((name) => [name, `${name}.csv`]),
])('turns %j into %j', (name = '', file) => {
  expect(fileNameOf(name, 'csv')).toBe(file)
})

test.each([
  ['may', '2026-04-30 22:00:00.000', '2026-05-31 22:00:00.000', 'may_2026-05-01_2026-05-31.pdf'],
  ['day', '2026-05-01 22:00:00.000', '2026-05-02 22:00:00.000', 'day_2026-05-02.pdf'],
  ['hour', '2026-05-01 22:00:00.000', '2026-05-01 23:00:00.000', 'hour_2026-05-02.pdf'],
  ['since', '2026-04-30 22:00:00.000', undefined, 'since_from_2026-05-01.pdf'],
  ['before', undefined, '2026-04-30 22:00:00.000', 'before_until_2026-04-30.pdf'],
  ['all', undefined, undefined, 'all.pdf'],
  ['mine.pdf', '2026-04-30 22:00:00.000', undefined, 'mine.pdf'],
])('adds the period to the name %j', (name, dateFrom, dateTo, file) => {
  const parameters = { ...(dateFrom && { dateFrom }), ...(dateTo && { dateTo }) }
  expect(fileNameOf(name, 'pdf', { parameters, timezone: 'Europe/Berlin' })).toBe(file)
})

test('makes a name with an extension and without path or control characters from any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const file = fileNameOf(name, 'csv')
      expect(file).toMatch(/^[^\s.].*\.csv$/iu)
      expect(file).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}<>:"/\\|?*]/u)
    }),
    { numRuns: 10 },
  )
})
