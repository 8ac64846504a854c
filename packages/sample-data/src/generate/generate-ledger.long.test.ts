// @module-tag long

// Ledgers of two seeds. The short test has one seed, in another split of its days.

import { expect, test } from 'vitest'
import { openScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { DAYS } from './calendar.ts'
import { contentOf, contentOfDays } from './content-of-days.cases.ts'
import { generateLedger } from './generate-ledger.ts'

const ROWS = 10_000
const SEED = 1

test('a ledger of another seed differs, and of the same seed does not', async () => {
  const ledger = await openScratchLedger()
  const { engine } = ledger
  await generateLedger(engine, { rows: ROWS, seed: SEED })
  const complete = await contentOf(engine, 'transactions')
  expect(await contentOfDays(engine, ROWS, SEED, [[0, DAYS]])).toBe(complete)
  expect(await contentOfDays(engine, ROWS, SEED + 1, [[0, DAYS]])).not.toBe(complete)
  await ledger.close()
})
