import { expect, test } from 'vitest'
import { countTurns } from '../../../gateway/test/kit/count-turns.ts'
import { readRowBatches } from './row-batches.ts'

test('others have their turn while long texts are written', async () => {
  const hex = Buffer.from('ب'.repeat(49_152)).toString('hex').toUpperCase()
  const row = `<row><c s="1" t="inlineStr"><is>\x1d${hex}\x1d</is></c></row>\x1f1\x1f0\x1e`
  const chunks = async function* () {
    yield { bytes: Buffer.from(row.repeat(100)), rows: 100 }
  }
  const tally = { totals: undefined, numbersAsText: 0, cutTexts: 0 }
  let rows = 0
  const turns = await countTurns(async () => {
    const limits = { rowsMax: 1000, bytesMax: 1e9 }
    for await (const batch of readRowBatches(chunks(), limits, tally)) rows += batch.rows
  })
  expect([rows, tally.cutTexts]).toEqual([100, 100])
  expect(turns).toBeGreaterThan(5)
})
