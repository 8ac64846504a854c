// @module-tag long

import { execFileSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CounterfoilClient } from '@counterfoil/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { prepareDemoConfig } from '../../src/demo/demo-settings.ts'
import { isInstalled } from '../../../signing/test/is-installed.ts'
import { type Command, runCommand } from '../kit/child-gateway.ts'
import { freePort } from '../kit/free-port.ts'
import { copyChecks, keepChecks } from '../kit/kept-checks.ts'
import { runHere } from '../kit/run-here.ts'
import { openDemoLedger } from '../../src/demo/demo-data.ts'
import { readRows } from '../../../engine/src/engine/engine.ts'

/** Enough rows for the shop to have some on the day of the demo's report. */
const DEMO_ROWS = 5000

/** Makes an empty folder for a demo, which runs in its own process or, with `--once`, in this one. */
async function makeDemo() {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'counterfoil-')), 'demo')
  mkdirSync(dataDir, { mode: 0o700 })
  const checks = join(dataDir, 'report-checks.json')
  copyChecks(checks)
  const port = String(await freePort())
  const usual = { PORT: port, ROWS: String(DEMO_ROWS), DATA_DIR: dataDir }
  return {
    dataDir,
    port,
    run: (args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
      runCommand(['demo', ...args], { ...usual, ...env }),
    runOnceHere: async (env: Readonly<Record<string, string>>) => {
      for (const [name, value] of Object.entries({ ...usual, ...env })) vi.stubEnv(name, value)
      try {
        return await runHere('demo', '--once')
      } finally {
        vi.unstubAllEnvs()
      }
    },
    readJson: (file: string) => JSON.parse(readFileSync(join(dataDir, file), 'utf8')),
    remove: () => {
      keepChecks(checks)
      rmSync(join(dataDir, '..'), { recursive: true })
    },
  }
}

const demo = await makeDemo()
const { dataDir, port } = demo
afterAll(() => demo.remove())

function prepareConfig() {
  return prepareDemoConfig({ port: Number(port), rows: DEMO_ROWS, dataDir })
}

const endpoint = () => `http://127.0.0.1:${port}/sandbox/services/v2/rpt-engine`
const demoFile = () => demo.readJson('demo.json')

test('demo --once replaces a ledger of another number of rows, shows a report, and ends with 0', async () => {
  prepareConfig()
  mkdirSync(join(dataDir, 'ledger'), { mode: 0o700 })
  writeFileSync(join(dataDir, 'ledger.json'), '{"rows":1000,"seed":1,"generation":2}', {
    mode: 0o600,
  })
  const first = demo.run(['--once'])
  expect(await first.ended).toEqual({ code: 0, signal: null })
  expect(first.stderr()).toBe('')
  expect(first.stdout()).toMatch(new RegExp(`^Ready.*${endpoint()}`, 'm'))
  expect(first.stdout()).toContain(`Console: http://127.0.0.1:${port}/\n`)
  expect(first.stdout()).toContain('Making demo transactions: 5,000 of 5,000 rows')
  expect(demo.readJson('ledger.json')).toMatchObject({ rows: DEMO_ROWS, seed: 1 })
  expect(first.stdout()).toContain('"Merchant_Name","Transaction_id","Merchant_OID"')
  expect(first.stdout()).not.toContain('\u001b')
  const csv = readFileSync(join(dataDir, 'shop-1.csv'), 'utf8')
  expect(csv.split('\r\n').length).toBeGreaterThan(2)
})

test('no other user of the machine can read a file of the demo', () => {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  expect(files.length).toBeGreaterThan(100)
  const readable = files.filter((file) => (statSync(join(dataDir, file)).mode & 0o077) !== 0)
  expect(readable).toEqual([])
})

test('only its owner can read demo.json, which has logins of both methods', () => {
  expect(statSync(join(dataDir, 'demo.json')).mode & 0o777).toBe(0o600)
  expect(demoFile()).toEqual({
    endpoint: endpoint(),
    consumers: [
      { login: 'shop-1', role: 'merchant', controlKey: expect.stringMatching(/^[\w-]{40}$/) },
      { login: 'shop-2', role: 'merchant', privateKeyFile: join(dataDir, 'shop-2.private.pem') },
      { login: 'operator', role: 'operator', controlKey: expect.stringMatching(/^[\w-]{40}$/) },
    ],
  })
  const pem = join(dataDir, 'shop-2.private.pem')
  expect(statSync(pem).mode & 0o777).toBe(0o600)
  expect(readFileSync(pem, 'utf8')).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/)
  expect(createPrivateKey(readFileSync(pem)).asymmetricKeyDetails?.modulusLength).toBe(4096)
})

describe('a second start', () => {
  let before: ReturnType<typeof demoFile>
  let second: Command
  beforeAll(async () => {
    before = demoFile()
    second = demo.run()
    // A demo that opens its ledger does not end at SIGHUP.
    await second.line(/^opening the ledger in/)
    second.kill('SIGHUP')
    await second.line(/^Ready/)
  })
  afterAll(() => second.kill('SIGKILL'))

  test('uses the existing data, and serves its logins', async () => {
    expect(second.stdout()).toMatch(new RegExp(`^Ready.*${endpoint()}`, 'm'))
    expect(second.stdout()).not.toContain('Making demo transactions')
    expect(demoFile()).toEqual(before)
    const rows = new Map<string, number>()
    for (const { login, controlKey, privateKeyFile } of before.consumers) {
      const key = controlKey ? { controlKey } : { privateKey: readFileSync(privateKeyFile, 'utf8') }
      const client = new CounterfoilClient({ endpoint: endpoint(), login, ...key })
      const saved = await client.download(
        'transactions-list',
        {},
        join(dataDir, `${login}-all.csv`),
      )
      expect(saved.rows).toBeGreaterThan(0)
      rows.set(login, saved.rows ?? 0)
    }
    expect(rows.get('operator')).toBe(DEMO_ROWS)
  })

  test.for(['sh', 'bash'])(
    'its printed line returns the report when pasted into %s',
    (shell, { skip }) => {
      const missing = [shell, 'curl', 'openssl'].find((program) => !isInstalled(program))
      skip(missing !== undefined, `${missing} is not installed`)
      const lines = second.stdout().split('\n')
      const line = lines.find((shown) => shown.startsWith('curl ')) ?? ''
      expect(line).not.toContain('PRIVATE')
      const [{ controlKey }] = demoFile().consumers
      expect(line).not.toContain(controlKey)
      // Twice, because each paste signs again.
      for (const paste of [line, line]) {
        const csv = execFileSync(shell, { input: `${paste}\n`, encoding: 'utf8' })
        expect(csv).toMatch(/^"Merchant_Name","Transaction_id",.*\r\n/)
        expect(csv).not.toContain('You are not authorised')
      }
    },
  )

  test('a second demo on the same data ends with 1, and changes nothing', async () => {
    const beside = await demo.runOnceHere({ ROWS: '1000', PORT: String(await freePort()) })
    expect(beside.code).toBe(1)
    expect(beside.stderr).toBe(
      `error: Another process (PID ${second.pid}) has the ledger in ${join(dataDir, 'ledger')} open. Stop it first\n`,
    )
    expect(demoFile()).toEqual(before)
    const [{ login, controlKey }] = before.consumers
    const client = new CounterfoilClient({ endpoint: endpoint(), login, controlKey })
    const file = join(dataDir, 'beside.csv')
    const saved = await client.download('transactions-list', {}, file)
    expect(saved.rows).toBeGreaterThan(0)
  })

  test('leaves no process after Ctrl-C', async () => {
    second.kill('SIGINT')
    expect(await second.ended).toEqual({ code: 0, signal: null })
    expect(second.stderr()).toBe('')
  })
})

test('names a port that is taken, and ends with 1', async () => {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(Number(port), '127.0.0.1', listening))
  expect(await demo.runOnceHere({})).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: Port ${port} is taken. Choose another port with the variable PORT, such as PORT=9000\n`,
  })
  await new Promise((closed) => server.close(closed))
})

test('makes new logins when their master key is missing', async () => {
  const before = demo.readJson('demo.json')
  rmSync(join(demo.dataDir, 'master.key'))
  expect(await demo.runOnceHere({})).toMatchObject({ code: 0 })
  expect(existsSync(join(demo.dataDir, 'master.key'))).toBe(true)
  const after = demo.readJson('demo.json')
  expect(after.consumers[0].controlKey).not.toBe(before.consumers[0].controlKey)
})

/** Opens the ledger as the demo does, and counts its transactions. */
async function rowsOf(rows: number): Promise<number> {
  const config = prepareDemoConfig({ port: Number(demo.port), rows, dataDir: demo.dataDir })
  const engine = await openDemoLedger(config, rows)
  const row = z.object({ count: z.coerce.number() })
  const sql = 'SELECT count() AS count FROM transactions'
  const [counted] = await readRows(engine, row, sql)
  await engine.close()
  return counted?.count ?? 0
}

test('makes an incomplete ledger again, also with an empty marker', async () => {
  const marker = join(demo.dataDir, 'ledger.json')
  const child = demo.run(['--once'], { ROWS: '2000000' })
  // Killed as soon as the old ledger is gone and the new one has begun.
  while (existsSync(marker)) await new Promise((again) => setTimeout(again, 5))
  child.kill('SIGKILL')
  expect(await child.ended).toEqual({ code: null, signal: 'SIGKILL' })
  expect(existsSync(marker)).toBe(false)
  writeFileSync(marker, '')
  expect(await rowsOf(1000)).toBe(1000)
})
