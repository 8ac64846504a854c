import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { templateSchema } from './template.ts'

const REPORTS = join(import.meta.dirname, '../../../../reports')

/** Changes the text of the shipped report, and returns the faults of the result. */
function faultsOf(report: string, from: string, to: string): readonly string[] {
  const text = readFileSync(join(REPORTS, `${report}.yaml`), 'utf8')
  expect(text).toContain(from)
  const { error } = templateSchema.safeParse(parse(text.replace(from, to)))
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
}

test.each([
  [
    '  day: Business_day\n',
    '',
    'statement.day: Invalid input: expected string, received undefined',
  ],
  ['holder: Merchant\n', 'holder: Shop\n', 'statement.holder: expected the name of a column'],
  [
    'opening: Opening_balance',
    'opening: Sales_count',
    'statement.opening: expected a column of the kind money',
  ],
  [
    'title: Refunds,',
    'title: Sales and captures,',
    'statement.entries.1.title: expected a unique title',
  ],
  [
    '{title: Fees, debit: Fees}',
    '{title: Fees}',
    'statement.entries.5: expected either credit or debit, with the name of a column',
  ],
  [
    'count: Refunds_count',
    'count: Refunds_amount',
    'statement.entries.1.count: expected a column of the kind integer',
  ],
  [
    'name: Closing_balance\n',
    'name: Closing_balance\n    roles: [operator]\n',
    expect.stringContaining('statement.closing: expected a column for each of the roles operator'),
  ],
])('a statement with %j as %j has a fault', (from, to, fault) => {
  expect(faultsOf('settlement-statement', from, to)).toEqual([fault])
})
