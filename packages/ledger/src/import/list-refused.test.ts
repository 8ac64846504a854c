import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Queries } from '../../../engine/src/engine/engine.ts'
import { clearRefused, listRefused } from './list-refused.ts'

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
