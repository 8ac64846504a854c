import { expect, test } from 'vitest'
import { nameOutput } from './build-request.ts'

const values = { report: 'transactions-list', from: '2026-05-01', to: '2026-06-01 13:45:00' }

test.each([
  ['may.csv', 'may.csv'],
  ['tx-{from}-{to}.csv', 'tx-2026-05-01-2026-06-01T134500.csv'],
  ['/srv/{report}/{from}.csv', '/srv/transactions-list/2026-05-01.csv'],
  ['{}.csv', '{}.csv'],
])('writes %s to %s', (output, file) => {
  expect(nameOutput(output, values)).toBe(file)
})

test('lets no value name another folder', () => {
  expect(nameOutput('a-{from}.csv', { ...values, from: '../..\\c:/x' })).toBe('a-....cx.csv')
})

test('refuses unknown names, and ends that the period lacks', () => {
  expect(() => nameOutput('{day}.csv', values)).toThrow('unknown {day}; there are {report}')
  expect(() => nameOutput('{constructor}.csv', values)).toThrow('unknown {constructor}')
  const { from: _, ...rest } = values
  expect(() => nameOutput('{from}.csv', { ...rest, from: undefined })).toThrow(
    '{from} needs --from',
  )
})
