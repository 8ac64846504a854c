// @module-tag long

import { expect, test } from 'vitest'
import { runHere } from '../kit/run-here.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const config = await (await useSandbox(0)).writeConfig()

test('refuses numbers out of range', async () => {
  for (const rows of ['999', '1e4', '1000000001']) {
    const { code, stderr } = await runHere('generate', '--config', config, '--rows', rows)
    expect([code, stderr]).toEqual([2, expect.stringContaining('from 1000 to 1000000000.')])
  }
})

test('fills the ledger, shows its progress, and prints the sums of all rows', async () => {
  const args = ['--config', config]
  const { code, stdout, stderr } = await runHere('generate --rows 1001 --seed 9', ...args)
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
