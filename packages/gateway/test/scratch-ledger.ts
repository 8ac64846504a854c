import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedEngine } from '../src/engine/embedded.ts'
import type { Engine } from '../src/engine/engine.ts'
import { migrateLedger } from '../src/ledger/migrate-ledger.ts'

/** An engine of a test's own, which has the ledger's tables and no rows. */
export interface ScratchLedger {
  readonly engine: Engine
  /** Where a test may write. */
  readonly folder: string
  close(): Promise<void>
}

/** Opens an engine on a folder of its own, and makes the ledger's tables. */
export async function openScratchLedger(): Promise<ScratchLedger> {
  const scratch = openScratchEngine()
  await migrateLedger(scratch.engine)
  return scratch
}

/** The same without tables. */
export function openScratchEngine(): ScratchLedger {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const engine = openEmbeddedEngine({
    directory: join(folder, 'ledger'),
    sessions: 1,
    queueLength: 8,
    queueWaitMs: 30_000,
    querySeconds: 60,
    queryBytesMax: 2 ** 30,
    engineBytesMax: 2 ** 31,
  })
  const close = async (): Promise<void> => {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
  return { engine, folder, close }
}
