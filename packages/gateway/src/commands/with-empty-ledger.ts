import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, openOwnEngine } from '@counterfoil/engine'
import { migrateLedger, REPORT_COLUMNS } from '@counterfoil/ledger'

const MEBIBYTE = 1024 ** 2

/** Runs work on a separate engine, which has the ledger's tables and no rows. A gateway may run meanwhile. */
export async function withEmptyLedger<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const engine = await openOwnEngine({
    directory,
    querySeconds: 60,
    queryBytesMax: 512 * MEBIBYTE,
    engineBytesMax: 1024 * MEBIBYTE,
    reportColumns: REPORT_COLUMNS,
  })
  try {
    await migrateLedger(engine)
    return await work(engine)
  } finally {
    await engine.close()
    rmSync(directory, { recursive: true })
  }
}
