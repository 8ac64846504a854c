import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeBypassedCheck } from '../kit/bypassed-check.ts'
import { openShardedLedger, startShards } from '../kit/clickhouse-shards.ts'
import type { TestServer } from '../kit/clickhouse-server.ts'
import { checkPlanted, writePlanted } from '../kit/planted-report.ts'
import type { ScratchLedger } from '../kit/scratch-ledger.ts'

let shards: readonly [TestServer, TestServer]
beforeAll(async () => {
  shards = await startShards()
})
afterAll(async () => {
  for (const shard of shards) await shard.remove()
})

describe('on a sharded ledger', () => {
  describeBypassedCheck(
    () => openShardedLedger(shards),
    [
      'SELECT client_order_id AS c FROM transactions_distributed',
      'SELECT client_order_id AS c FROM default.transactions_local',
      "SELECT client_order_id AS c FROM cluster('counterfoil', default.transactions_local)",
      "SELECT client_order_id AS c FROM clusterAllReplicas('counterfoil', default.transactions)",
      // What `shardSettings` avoids: a shard that runs a sub-select, where the tables have no filter.
      `SELECT client_order_id AS c FROM transactions
      WHERE transaction_id IN (SELECT transaction_id FROM transactions)
      SETTINGS allow_push_predicate_ast_for_distributed_subqueries = 1`,
    ],
  )
})

describe('a report file on a sharded ledger', () => {
  let ledger: ScratchLedger
  beforeAll(async () => {
    ledger = await openShardedLedger(shards)
  })
  afterAll(async () => await ledger.close())

  test.each<readonly [string, string]>([
    ['SELECT * FROM transactions_distributed', 'transactions_distributed'],
    ['SELECT * FROM default.transactions_local', 'transactions_local'],
    ["SELECT * FROM cluster('counterfoil', default.statements_local)", 'cluster()'],
  ])('may not read: %s', async (sql, got) => {
    const lines = writePlanted({ from: sql, column: "'x'", order: "'x'" })
    const [fault = '', ...others] = await checkPlanted(ledger, lines)
    expect(others).toEqual([])
    expect(fault).toContain(got)
    expect(fault).toMatch(/a table of the ledger \(transactions, .*\), got/)
  })
})
