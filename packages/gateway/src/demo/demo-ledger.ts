import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ledgerFolder } from '../config/config.ts'
import type { Engine } from '@counterfoil/engine'
import { createProgress } from '../observe/progress.ts'
import { openEngine } from '../serve/open-engine.ts'
import { generateLedger } from '@counterfoil/sample-data'

const SEED = 1

/** The version of the generator. A demo ledger of an earlier version is generated again. */
const GENERATION = 3

/** Opens the demo's ledger. Generates it first if it is missing or incomplete, or has another number of rows. */
export async function openDemoLedger(
  config: Config,
  rows: number,
  onStep: (step: string) => void = () => {},
): Promise<Engine> {
  // Written when the ledger is complete. An incomplete ledger has no marker.
  const marker = join(config.dataDir, 'ledger.json')
  const text = JSON.stringify({ rows, seed: SEED, generation: GENERATION })
  if (existsSync(marker) && readFileSync(marker, 'utf8') === text) {
    return await openEngine(config, onStep)
  }
  const ledger = ledgerFolder(config)
  // Opening the ledger fails if another demo runs on it. So open it before deleting it.
  if (existsSync(ledger)) await (await openEngine(config)).close()
  rmSync(marker, { force: true })
  rmSync(ledger, { recursive: true, force: true })
  const engine = await openEngine(config, onStep)
  const work = { title: 'Making demo transactions', total: rows, unit: 'rows' }
  const progress = createProgress(process.stdout, work, performance.now.bind(performance))
  await generateLedger(engine, { rows, seed: SEED, onProgress: progress.update })
  progress.end()
  writeFileSync(marker, text)
  return engine
}
