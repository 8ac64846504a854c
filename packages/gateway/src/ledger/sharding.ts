import { createHash } from 'node:crypto'
import * as z from 'zod'
import { literal } from '../clickhouse/literals.ts'
import { type Queries, readRows } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import { LEDGER_MIGRATIONS } from './migrations.ts'
import { REPORT_COLUMNS } from './report-columns.ts'

/** The sharded tables, each with its key. Every server has all rows of the other tables. */
const KEYS = {
  transactions: 'merchant_id, created_at, transaction_id',
  statements: 'merchant_id, business_day, statement_id',
} as const

/** The tables that send a query to all shards, by the names of the ledger's tables. */
export const SHARD_TABLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(KEYS).map((table) => [table, `${table}_distributed`]),
)

/** How the servers of a cluster store the ledger. */
export interface Sharding {
  /** The name of the cluster in the servers' `remote_servers`. */
  readonly cluster: string
  /** Whether a shard has several servers. */
  readonly isReplicated: boolean
  /** The gateway's user on the servers. */
  readonly user: string
}

const names = Object.keys(KEYS).join('|')
const CHANGED_TABLE = new RegExp(`^\\s*(CREATE TABLE IF NOT EXISTS|ALTER TABLE) (${names})\\b`)

/** Rewrites a statement of a migration for a server with a shard: it names the table of the server's own rows. */
export function onShard(statement: string, { isReplicated }: Sharding): string {
  const [head, verb, table] = CHANGED_TABLE.exec(statement) ?? []
  if (head === undefined) return statement
  const local = `${verb} ${table}_local${statement.slice(head.length)}`
  if (!isReplicated) return local
  // The gateway runs the statement on each server, so a path with {uuid} would differ between the servers of a shard.
  const replica = `'/counterfoil/{shard}/${table}', '{replica}'`
  return local
    .replace('ENGINE = ReplacingMergeTree(', `ENGINE = ReplicatedReplacingMergeTree(${replica}, `)
    .replace('ENGINE = ReplacingMergeTree\n', `ENGINE = ReplicatedReplacingMergeTree(${replica})\n`)
}

/**
 * Creates the tables that read all shards, unless they are there. `transactions_distributed` sends a query to each
 * shard. Reports read the view `transactions`. It asks the shards for filtered rows in the order of the key, so the
 * first server merges them without a sort, and it runs everything else where the tables have their names and filters. A
 * report has no right to the tables below the view: the view reads them as the user that created it.
 */
export async function createAcrossShards(engine: Queries, sharding: Sharding): Promise<void> {
  const statements = acrossShards(sharding)
  // Reports of other gateways may be running. While a view is replaced, it is missing. A Distributed table copies the
  // columns and their defaults when it is created, so every migration replaces it.
  const version = LEDGER_MIGRATIONS.length
  const mark = createHash('sha256').update(JSON.stringify([version, sharding.user, ...statements]))
  const comment = `counterfoil ${mark.digest('hex').slice(0, 16)}`
  const [known] = await readRows(engine, z.object({ tables: z.coerce.number() }), {
    sql: `SELECT count() AS tables FROM system.tables
    WHERE database = 'default' AND comment = {comment:String}`,
    parameters: { comment },
  })
  if (known?.tables === statements.length) return
  for (const sql of statements) await engine.execute(`${sql} COMMENT ${literal(comment)}`)
}

function acrossShards({ cluster }: Sharding): readonly string[] {
  return Object.entries(KEYS).flatMap(([table, key]) => [
    `CREATE OR REPLACE TABLE ${table}_distributed AS ${table}_local
    ENGINE = Distributed(${literal(cluster)}, default, ${table}_local, merchant_id)`,
    `CREATE OR REPLACE VIEW ${table} DEFINER = CURRENT_USER SQL SECURITY DEFINER
    AS SELECT ${(REPORT_COLUMNS[table] ?? []).join(', ')} FROM ${table}_distributed ORDER BY ${key}`,
  ])
}

const serversRow = z.object({ servers: z.coerce.number() })
const factsRow = z.object({
  user: z.string(),
  macros: z.coerce.number(),
  unsharded: z.coerce.number(),
})

/**
 * Reads from a server how the cluster stores the ledger.
 *
 * @param servers how many servers the configuration lists
 * @throws {GatewayError} `ledger` if the cluster has other servers, or if the server has a ledger that is not sharded
 */
export async function readSharding(
  engine: Pick<Queries, 'stream'>,
  cluster: string,
  servers: number,
): Promise<Sharding> {
  const shards = await readRows(engine, serversRow, {
    sql: `SELECT count() AS servers FROM system.clusters WHERE cluster = {cluster:String}
    GROUP BY shard_num`,
    parameters: { cluster },
  })
  const [facts] = await readRows(engine, factsRow, {
    sql: `SELECT
      currentUser() AS user,
      (SELECT count() FROM system.macros WHERE macro IN ('shard', 'replica')) AS macros,
      (SELECT count() FROM system.tables WHERE database = 'default'
        AND name IN {tables:Array(String)} AND engine != 'View') AS unsharded`,
    parameters: { tables: Object.keys(KEYS) },
  })
  if (facts?.unsharded !== 0) {
    const found = 'The server has a ledger that is not sharded.'
    throw new GatewayError('ledger', `${found} Use servers with an empty database.`)
  }
  const known = shards.reduce((sum, shard) => sum + shard.servers, 0)
  if (known !== servers) {
    const listed = `The cluster "${cluster}" has ${known} servers, and engine.cluster.urls has ${servers}.`
    throw new GatewayError('ledger', `${listed} List every server of the cluster.`)
  }
  const isReplicated = shards.some((shard) => shard.servers > 1)
  if (isReplicated && facts.macros < 2) {
    const message = 'A server with a replica needs the macros "shard" and "replica".'
    throw new GatewayError('ledger', message)
  }
  return { cluster, isReplicated, user: facts.user }
}
