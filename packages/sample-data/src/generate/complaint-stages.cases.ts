import { expect, test } from 'vitest'
import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'

const chain = z.object({
  type: z.string(),
  stages: z.array(z.string()),
  /** 1 for each stage that moves money, or else 0. */
  moves: z.array(z.number()),
  reasons: z.coerce.number(),
  amounts: z.coerce.number(),
})

// The stages of each complaint in the order of reports.
const CHAINS = `
SELECT any(transaction_type) AS type,
  arraySort(groupArray((created_at, transaction_id, dispute_stage, isNotNull(net_amount)))) AS events,
  events.3 AS stages, events.4 AS moves,
  uniqExact(reason_code) AS reasons, uniqExact(amount) AS amounts
FROM transactions WHERE transaction_type IN ('chargeback', 'dispute')
GROUP BY original_transaction_id`

/**
 * Tests the stages of complaints.
 *
 * @param engineOf returns the engine of the ledger
 * @param blocks the number of blocks of the ledger; every second block has the same layout
 */
export function testComplaintStages(engineOf: () => Queries, blocks: number): void {
  test('a stage of a complaint is a row after the earlier stages, and only a first chargeback moves money', async () => {
    const chains = await readRows(engineOf(), chain, { sql: CHAINS, parameters: {} })
    const counts: Record<string, number> = {}
    for (const { type, stages, moves, reasons, amounts } of chains) {
      const way = [type, ...stages].join(' ')
      counts[way] = (counts[way] ?? 0) + 1
      expect(moves).toEqual(stages.map((stage) => Number(stage === 'first')))
      expect([reasons, amounts]).toEqual([1, 1])
    }
    const { 'dispute represented won': won = 0, 'dispute represented lost': lost = 0 } = counts
    expect(won).toBeGreaterThan(0)
    expect(counts).toEqual({
      'chargeback first': blocks,
      'chargeback first second': blocks / 2,
      'chargeback first second arbitration': blocks / 2,
      'dispute represented won': won,
      'dispute represented lost': lost,
    })
    expect(won + lost).toBe(blocks / 2)
  })
}
