import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Engine } from '../../../engine/src/engine/engine.ts'
import { openOwnEngine, type OwnEngineOptions } from '../../../engine/src/own-server/own-engine.ts'
import { REPORT_COLUMNS } from '../../../ledger/src/model/names.ts'
import { migrateLedger } from '../../../ledger/src/model/migrate-ledger.ts'
import { copyLedger } from './kept-files.ts'

type Options = Partial<OwnEngineOptions>

/** Opens an engine with the ledger's tables in a new folder. */
export async function openScratchLedger(options: Options = {}): Promise<ScratchLedger> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  await copyLedger('tables', join(folder, 'ledger'), async () => {
    const engine = await openEngine(folder)
    await migrateLedger(engine)
    await engine.close()
  })
  return await scratchLedger(folder, options)
}

/** Opens an engine with the ledger's tables until the last test of the file has run. */
export async function useScratchLedger(options: Options = {}): Promise<ScratchLedger> {
  const ledger = await openScratchLedger(options)
  afterAll(() => ledger.close())
  return ledger
}

/** Opens an engine without tables until the last test of the file has run. */
export async function useScratchEngine(options: Options = {}): Promise<ScratchLedger> {
  const scratch = await openScratchEngine(options)
  afterAll(() => scratch.close())
  return scratch
}

/** Opens an engine without tables in a new folder. */
export async function openScratchEngine(options: Options = {}): Promise<ScratchLedger> {
  return await scratchLedger(mkdtempSync(join(tmpdir(), 'counterfoil-')), options)
}

/** An engine for one test, and a folder in which the test may write. */
export type ScratchLedger = Readonly<Awaited<ReturnType<typeof scratchLedger>>>

async function scratchLedger(folder: string, options: Options) {
  const engine = await openEngine(folder, options)
  const close = async (): Promise<void> => {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
  /** Runs a statement that inserts rows, or that reloads names. */
  const fill = async (sql: string): Promise<void> => await engine.execute(sql)
  return { engine, folder, fill, close }
}

async function openEngine(folder: string, options: Options = {}): Promise<Engine> {
  return await openOwnEngine({
    directory: join(folder, 'ledger'),
    querySeconds: 60,
    queryBytesMax: 2 ** 30,
    engineBytesMax: 2 ** 31,
    reportColumns: REPORT_COLUMNS,
    ...options,
  })
}
