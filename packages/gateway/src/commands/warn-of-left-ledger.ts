import { existsSync } from 'node:fs'
import { type Config, ledgerFolder } from '../config/config.ts'
import { type Engine, readNumber } from '@counterfoil/engine'
import type { Log } from '../observe/log.ts'

/** Warns if the ledger on servers has no transactions and an embedded ledger lies in `dataDir`: a copy is missing. */
export async function warnOfLeftLedger(
  config: Config,
  engine: Engine,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const folder = ledgerFolder(config)
  if (!config.engine.cluster || !existsSync(folder)) return
  const sql = 'SELECT count() AS value FROM transactions'
  if ((await readNumber(engine, sql, new AbortController().signal)) > 0) return
  log.warn(
    `The ledger on the ClickHouse servers has no transactions, so every report is empty. ${folder} holds an embedded ` +
      'ledger. Stop the gateway and run "counterfoil-gateway ledger copy --to cluster", or move the folder away',
  )
}
