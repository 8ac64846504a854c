import { expect, test } from 'vitest'
import * as z from 'zod'
import { openScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'
import { readRows } from '../engine/engine.ts'
import { CELL_LENGTH_MAX, sheetCell } from './sheet-cells.ts'

const STYLES = { text: 1, money: 2, integer: 3, rate: 4, ratio: 5, date: 6, time: 7 }

test('the engine sends the beginning of a text that is too long for a cell', async () => {
  const ledger = await openScratchLedger()
  try {
    const cell = sheetCell({ kind: 'text', sql: 'text' }, STYLES, '_cell')
    const characters = ['ب', '漢', '😀', 'a']
    const rows = await readRows(ledger.engine, z.object({ xml: z.string() }), {
      sql: `SELECT ${cell.xml} AS xml FROM 
        (SELECT repeat(arrayJoin({characters:Array(String)}), 100000) AS text)`,
      parameters: { characters },
    })
    for (const [index, character] of characters.entries()) {
      const [, hex = ''] = /\x1d([0-9A-F]*)\x1d/.exec(rows[index]?.xml ?? '') ?? []
      const sent = Buffer.from(hex, 'hex').toString()
      expect(hex.length).toBeLessThan(200_000)
      expect(sent.length).toBeGreaterThan(CELL_LENGTH_MAX)
      expect(character.repeat(100_000).startsWith(sent.slice(0, CELL_LENGTH_MAX))).toBe(true)
    }
  } finally {
    await ledger.close()
  }
})
