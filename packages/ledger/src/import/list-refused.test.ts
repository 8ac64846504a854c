import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Queries } from '../../../engine/src/engine/engine.ts'
import { openScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { clearRefused, listRefused } from './list-refused.ts'
import { countReasons } from './read-result.ts'

const NO_ROWS: Queries = {
  stream: async () => (async function* () {})(),
  execute: async () => {},
  insert: async () => {},
  loadTimeZone: async (timezone) => timezone,
}

test('writes into no file that another process puts in the place of the list', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [list, other] = [join(folder, 'list.csv'), join(folder, 'other')]
  writeFileSync(other, 'mine')
  clearRefused(list)
  symlinkSync(other, list)
  await expect(listRefused(NO_ROWS, 'transactions', [], list)).rejects.toMatchObject({
    code: 'ledger',
    message: `${list}: another process made this file during the import. Use --refused with a folder of your own`,
  })
  expect(readFileSync(other, 'utf8')).toBe('mine')
  clearRefused(join(folder, 'new.csv'))
  await listRefused(NO_ROWS, 'transactions', [], join(folder, 'new.csv'))
  expect(readFileSync(join(folder, 'new.csv'), 'utf8')).toMatch(/^"file",.*\n$/)
})

test('counts the ten most frequent reasons of refused rows', async () => {
  const ledger = await openScratchLedger()
  onTestFinished(() => ledger.close())
  const { engine } = ledger
  await engine.execute(
    'CREATE TABLE import_refused (line UInt64, reasons Array(String)) ENGINE = MergeTree ORDER BY line',
  )
  expect(await countReasons(engine)).toEqual([])
  await engine.execute(`INSERT INTO import_refused
    SELECT number, arrayFilter(x -> x != '', [
      if(number < 1500, 'status: expected a value', ''),
      if(number < 20, 'amount: expected a value', ''),
      concat('column ', leftPad(toString(number % 12), 2, '0'))])
    FROM numbers(2400)`)
  const reasons = await countReasons(engine)
  expect(reasons).toHaveLength(10)
  expect(reasons.slice(0, 3)).toEqual([
    { reason: 'status: expected a value', rows: 1500, first: { file: 0, line: 0 } },
    { reason: 'column 00', rows: 200, first: { file: 0, line: 0 } },
    { reason: 'column 01', rows: 200, first: { file: 0, line: 1 } },
  ])
})
