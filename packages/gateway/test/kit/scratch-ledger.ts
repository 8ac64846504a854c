import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Engine } from '../../../engine/src/engine/engine.ts'
import { openOwnEngine, type OwnEngineOptions } from '../../../engine/src/own-server/own-engine.ts'
import { REPORT_COLUMNS } from '../../../ledger/src/model/names.ts'
import { migrateLedger } from '../../../ledger/src/model/migrate-ledger.ts'
import { copyLedger } from './kept-files.ts'

/** An engine for one test, with the ledger's tables and no rows. */
export interface ScratchLedger {
  readonly engine: Engine
  /** A folder in which the test may write. */
  readonly folder: string
  /** Runs a statement that inserts rows, or that reloads names. */
  readonly fill: (sql: string) => Promise<void>
  close(): Promise<void>
}

/** Opens an engine with the ledger's tables in a new folder. */
export async function openScratchLedger(
  options: Partial<OwnEngineOptions> = {},
): Promise<ScratchLedger> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  await copyLedger('tables', join(folder, 'ledger'), async () => {
    const engine = await openEngine(folder)
    await migrateLedger(engine)
    await engine.close()
  })
  return await scratchLedger(folder, options)
}

/** Opens an engine with the ledger's tables until the last test of the file has run. */
export async function useScratchLedger(
  options: Partial<OwnEngineOptions> = {},
): Promise<ScratchLedger> {
  const ledger = await openScratchLedger(options)
  afterAll(() => ledger.close())
  return ledger
}

/** Opens an engine without tables until the last test of the file has run. */
export async function useScratchEngine(
  options: Partial<OwnEngineOptions> = {},
): Promise<ScratchLedger> {
  const scratch = await openScratchEngine(options)
  afterAll(() => scratch.close())
  return scratch
}

/** Opens an engine without tables in a new folder. */
export async function openScratchEngine(
  options: Partial<OwnEngineOptions> = {},
): Promise<ScratchLedger> {
  return await scratchLedger(mkdtempSync(join(tmpdir(), 'counterfoil-')), options)
}

async function scratchLedger(
  folder: string,
  options: Partial<OwnEngineOptions>,
): Promise<ScratchLedger> {
  const engine = await openEngine(folder, options)
  const close = async (): Promise<void> => {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
  return { engine, folder, fill: (sql) => engine.execute(sql), close }
}

async function openEngine(
  folder: string,
  options: Partial<OwnEngineOptions> = {},
): Promise<Engine> {
  return await openOwnEngine({
    directory: join(folder, 'ledger'),
    querySeconds: 60,
    queryBytesMax: 2 ** 30,
    engineBytesMax: 2 ** 31,
    reportColumns: REPORT_COLUMNS,
    ...options,
  })
}
