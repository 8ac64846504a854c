import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '@counterfoil/common'
import type { Engine } from '@counterfoil/engine'
import { generateLedger } from '@counterfoil/sample-data'
import {
  controlKeyOf,
  makeControlKey,
  openMasterKeys,
  openStore,
  publicKeyOf,
  storeFile,
} from '@counterfoil/store'
import { type Config, ledgerFolder } from '../config/config.ts'
import { createProgress } from '../observe/progress.ts'
import { openEngine } from '../serve/open-engine.ts'

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

/** A login of the demo with its secret. */
export interface DemoLogin {
  readonly login: string
  readonly role: Role
  readonly controlKey?: string
  readonly privateKeyFile?: string
}

/** The merchant id of each of the demo's merchants. */
export const DEMO_MERCHANTS = { 'shop-1': '1', 'shop-2': '2' } as const

/** Creates the demo's logins at its first start, and writes them to `demo.json`, for other programs. */
export async function prepareDemoLogins(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly DemoLogin[]> {
  const file = join(config.dataDir, 'demo.json')
  const isMade = existsSync(file) && existsSync(storeFile(config))
  const consumers = isMade ? readLogins(file) : await makeLogins(config, environment)
  const content = { endpoint: config.publicUrl + config.reportPath, consumers }
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 })
  return consumers
}

/** Reads the logins of an earlier start. */
function readLogins(file: string): readonly DemoLogin[] {
  return JSON.parse(readFileSync(file, 'utf8')).consumers
}

async function makeLogins(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly DemoLogin[]> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(storeFile(config) + suffix, { force: true })
  const masterKeys = openMasterKeys(config.masterKeys, environment)
  const context = { now: new Date(), randomBytes, foreignFingerprints: [] }
  const controlKeys = {
    'shop-1': makeControlKey(randomBytes),
    operator: makeControlKey(randomBytes),
  }
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 4096,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  const privateKeyFile = join(config.dataDir, 'shop-2.private.pem')
  writeFileSync(privateKeyFile, privateKey, { mode: 0o600 })
  const store = await openStore(config)
  try {
    const common = { bodyHashRequired: false, createdAt: new Date() }
    for (const [name, merchant] of Object.entries(DEMO_MERCHANTS)) {
      await store.addLogin({ ...common, name, role: 'merchant', sees: [merchant] })
    }
    await store.addLogin({ ...common, name: 'operator', role: 'operator', sees: [] })
    for (const [login, key] of Object.entries(controlKeys)) {
      await store.addKey(controlKeyOf(login, key, masterKeys, context))
    }
    await store.addKey(await publicKeyOf('shop-2', publicKey, context))
  } finally {
    await store.close()
  }
  return [
    { login: 'shop-1', role: 'merchant', controlKey: controlKeys['shop-1'] },
    { login: 'shop-2', role: 'merchant', privateKeyFile },
    { login: 'operator', role: 'operator', controlKey: controlKeys.operator },
  ]
}
