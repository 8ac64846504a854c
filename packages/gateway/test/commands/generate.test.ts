// @module-tag long

import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHere } from '../kit/run-here.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

let sandbox: Sandbox
let config: string
beforeAll(async () => {
  sandbox = await makeSandbox(0)
  config = await sandbox.writeConfig()
})
afterAll(() => sandbox.remove())

test.each([
  [['--rows', '999'], 'Expected a whole number from 1000 to 1000000000.'],
  [['--rows', '1e4'], 'Expected a whole number from 1000 to 1000000000.'],
  [['--rows', '1000', '--seed', '-1'], 'Expected a whole number from 0 to 4294967295.'],
  [[], "required option '--rows <number>' not specified"],
])('%j is a wrong command line', async (options, expected) => {
  const { code, stderr } = await runHere('generate', '--config', config, ...options)
  expect(code).toBe(2)
  expect(stderr).toContain(expected)
})

test('fills the ledger, shows its progress, and prints the sums of all rows', async () => {
  const { code, stdout, stderr } = await runHere(
    'generate',
    '--config',
    config,
    '--rows',
    '1001',
    '--seed',
    '9',
  )
  expect([code, stderr]).toEqual([0, expect.stringContaining('1,001 of 1,001 rows')])
  const [titles, ...lines] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ +/))
  expect(titles).toEqual(['CURRENCY', 'COUNT', 'SUM'])
  expect(lines.map(([currency]) => currency)).toContain('EUR')
  expect(lines.reduce((total, [, count]) => total + Number(count), 0)).toBe(1001)
  for (const [, , sum] of lines) expect(sum).toMatch(/^\d+(\.\d{1,3})?$/)
})

test('does not add to a ledger that has transactions', async () => {
  const args = ['generate', '--config', config, '--rows', '1000']
  const { code, stdout, stderr } = await runHere(...args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('error: The ledger already holds 1001 transactions')
})
