import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import { migrateLedger } from '../ledger/migrate-ledger.ts'
import { REPORT_COLUMNS } from '../ledger/report-columns.ts'

const MEBIBYTE = 1024 ** 2

/** Runs work on a separate engine, which has the ledger's tables and no rows. A gateway may run meanwhile. */
export async function withEmptyLedger<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  // The import loads the engine's library, which most commands do not need.
  const { openEmbeddedEngine } = await import('../engine/embedded.ts')
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const engine = await openEmbeddedEngine({
    directory,
    sessions: 1,
    queueLength: 8,
    queueWaitMs: 60_000,
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
