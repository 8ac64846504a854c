import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type Command, runCommand } from '../kit/child-gateway.ts'
import { freePort } from '../kit/free-port.ts'
import { copyChecks, keepChecks } from '../kit/kept-checks.ts'
import { type Ended, runHere } from '../kit/run-here.ts'

/** Enough rows for the shop to have some on the day of the demo's report. */
export const DEMO_ROWS = 5000

/** A folder and a port of a demo. */
export interface Demo {
  readonly dataDir: string
  readonly port: string
  /** Starts `demo` in its own process. */
  run(args?: readonly string[], env?: Readonly<Record<string, string>>): Command
  /** Runs `demo --once` in this process. */
  runOnceHere(env: Readonly<Record<string, string>>): Promise<Ended>
  /** Reads a JSON file of the folder. */
  readJson(file: string): ReturnType<typeof JSON.parse>
  remove(): void
}

/** Makes an empty folder for a demo. */
export async function makeDemo(): Promise<Demo> {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'counterfoil-')), 'demo')
  mkdirSync(dataDir, { mode: 0o700 })
  const checks = join(dataDir, 'report-checks.json')
  copyChecks(checks)
  const port = String(await freePort())
  const usual = { PORT: port, ROWS: String(DEMO_ROWS), DATA_DIR: dataDir }
  return {
    dataDir,
    port,
    run: (args = [], env = {}) => runCommand(['demo', ...args], { ...usual, ...env }),
    runOnceHere: async (env) => {
      for (const [name, value] of Object.entries({ ...usual, ...env })) vi.stubEnv(name, value)
      try {
        return await runHere('demo', '--once')
      } finally {
        vi.unstubAllEnvs()
      }
    },
    readJson: (file) => JSON.parse(readFileSync(join(dataDir, file), 'utf8')),
    remove: () => {
      keepChecks(checks)
      rmSync(join(dataDir, '..'), { recursive: true })
    },
  }
}
