import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { stringify } from 'yaml'
import { type Config, loadConfig, SHIPPED_REPORTS } from '../config/config.ts'
import { GatewayError } from '@counterfoil/common'

/** The demo's settings from the environment. */
export interface DemoSettings {
  readonly port: number
  /** How many transactions the ledger has. */
  readonly rows: number
  /** The absolute path of the demo's folder. */
  readonly dataDir: string
}

export const DEMO_HOST = '127.0.0.1'

const WRITTEN_BY_DEMO = '# Written by the demo at every start.'

/**
 * Reads `PORT`, `ROWS` and `DATA_DIR`.
 *
 * @throws {GatewayError} `config` with the expected value
 */
export function readDemoSettings(
  environment: Readonly<Record<string, string | undefined>>,
): DemoSettings {
  const readInteger = (name: string, fallback: number, min: number, max: number): number => {
    const text = environment[name] || String(fallback)
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    const message = `${name}: expected a whole number from ${min} to ${max}, got "${text}"`
    throw new GatewayError('config', message)
  }
  return {
    port: readInteger('PORT', 8080, 1, 65_535),
    rows: readInteger('ROWS', 1_000_000, 1_000, 1_000_000_000),
    dataDir: resolve(environment['DATA_DIR'] || 'var/demo'),
  }
}

/** Writes the demo's configuration and loads it. `serve --config` takes this file too. */
export function prepareDemoConfig({ port, dataDir }: DemoSettings): Config {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const message = `DATA_DIR: cannot write to the folder ${dataDir}`
    throw new GatewayError('config', message, { cause })
  }
  const file = join(dataDir, 'gateway.yaml')
  refuseForeign(dataDir, file)
  const masterKey = join(dataDir, 'master.key')
  if (!existsSync(masterKey)) {
    // A new master key cannot decrypt the old keys, so the demo creates new logins.
    rmSync(join(dataDir, 'demo.json'), { force: true })
    writeFileSync(masterKey, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  }
  const config = stringify({
    environment: 'sandbox',
    publicUrl: `http://${DEMO_HOST}:${port}`,
    reportPath: '/sandbox/services/v2/rpt-engine',
    listen: { host: DEMO_HOST, port },
    dataDir,
    reports: SHIPPED_REPORTS,
    masterKeys: [{ version: 1, file: masterKey }],
    otherEnvironment: {},
    console: { viewSessions: {} },
  })
  writeFileSync(file, `${WRITTEN_BY_DEMO}\n${config}`, { mode: 0o600 })
  return loadConfig(file)
}

/** The demo replaces its ledger and its logins when it has to. So it refuses the folder of another gateway. */
function refuseForeign(dataDir: string, config: string): void {
  if (!['store.sqlite', 'ledger'].some((name) => existsSync(join(dataDir, name)))) return
  if (existsSync(config) && readFileSync(config, 'utf8').startsWith(WRITTEN_BY_DEMO)) return
  const message = `DATA_DIR: ${dataDir} holds the data of another gateway. Choose another folder`
  throw new GatewayError('config', message)
}
