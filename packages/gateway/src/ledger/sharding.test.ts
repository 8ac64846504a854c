import { expect, test } from 'vitest'
import { LEDGER_MIGRATIONS } from './migrations.ts'
import { onShard } from './sharding.ts'

const STATEMENTS = LEDGER_MIGRATIONS.flat()
const ONE = { cluster: 'counterfoil', isReplicated: false, user: 'counterfoil' }
const SEVERAL = { cluster: 'counterfoil', isReplicated: true, user: 'counterfoil' }

test('a shard has its own tables of transactions and statements, and the other tables as they are', () => {
  const changed = STATEMENTS.filter((statement) => onShard(statement, ONE) !== statement)
  expect(changed.length).toBeGreaterThan(5)
  for (const statement of STATEMENTS) {
    expect(onShard(statement, ONE)).not.toMatch(
      /TABLE (IF NOT EXISTS )?(transactions|statements)\b/,
    )
  }
})

test('a shard with several servers replicates these tables, and nothing else', () => {
  const engines = STATEMENTS.flatMap((statement) => {
    return onShard(statement, SEVERAL).match(/ENGINE = Replicated.*/g) ?? []
  })
  expect(engines).toEqual([
    "ENGINE = ReplicatedReplacingMergeTree('/counterfoil/{shard}/transactions', '{replica}', row_version)",
    "ENGINE = ReplicatedReplacingMergeTree('/counterfoil/{shard}/statements', '{replica}')",
  ])
})
