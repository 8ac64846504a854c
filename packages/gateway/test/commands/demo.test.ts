import { execFileSync } from 'node:child_process'
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
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { openDemoLedger } from '../../../sample-data/src/demo/demo-ledger.ts'
import { prepareDemoConfig } from '../../../sample-data/src/demo/demo-settings.ts'
import { readRows } from '../../src/engine/engine.ts'
import { type Command, runCommand } from '../kit/child-gateway.ts'
import { freePort } from '../kit/free-port.ts'
import { copyChecks, keepChecks } from '../kit/kept-checks.ts'
import { runHere } from '../kit/run-here.ts'

/** Enough rows for the shop to have some on the day of the demo's report. */
const ROWS = 5000

let dataDir: string
let port: string
let demo: Command
beforeAll(async () => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'counterfoil-')), 'demo')
  port = String(await freePort())
  mkdirSync(dataDir, { mode: 0o700 })
  copyChecks(join(dataDir, 'report-checks.json'))
})
afterEach(async () => {
  demo.kill('SIGKILL')
  await demo.ended
})
afterAll(() => {
  keepChecks(join(dataDir, 'report-checks.json'))
  rmSync(join(dataDir, '..'), { recursive: true })
})

function run(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Command {
  return runCommand(['demo', ...args], {
    PORT: port,
    ROWS: String(ROWS),
    DATA_DIR: dataDir,
    ...env,
  })
}

/** Runs `demo --once` in this process. */
async function runOnceHere(env: Readonly<Record<string, string>>) {
  const all = { PORT: port, ROWS: String(ROWS), DATA_DIR: dataDir, ...env }
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
  try {
    return await runHere('demo', '--once')
  } finally {
    vi.unstubAllEnvs()
  }
}

/** Starts a demo that ends with its test. */
function start(...how: Parameters<typeof run>): void {
  demo = run(...how)
}

const endpoint = () => `http://127.0.0.1:${port}/sandbox/services/v2/rpt-engine`
const demoFile = () => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
const markerOf = () => readFileSync(join(dataDir, 'ledger.json'), 'utf8')

test('demo --once makes a ledger, shows a report, and ends with 0', async () => {
  start(['--once'])
  expect(await demo.ended).toEqual({ code: 0, signal: null })
  expect(demo.stderr()).toBe('')
  expect(demo.stdout()).toMatch(new RegExp(`^Ready.*${endpoint()}`, 'm'))
  expect(demo.stdout()).toContain(`Console: http://127.0.0.1:${port}/\n`)
  expect(demo.stdout()).toContain('Making demo transactions: 5,000 of 5,000 rows')
  expect(demo.stdout()).toContain('"Merchant_Name","Transaction_id","Merchant_OID"')
  expect(demo.stdout()).not.toContain('\u001b')
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
  const text = execFileSync('openssl', ['rsa', '-in', pem, '-noout', '-text'], { encoding: 'utf8' })
  expect(text).toContain('(4096 bit')
})

describe('a second start', () => {
  let before: ReturnType<typeof demoFile>
  let second: Command
  beforeAll(async () => {
    before = demoFile()
    second = run()
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
    expect(rows.get('operator')).toBe(ROWS)
  })

  test.each(['sh', 'bash'])('its printed line returns the report when pasted into %s', (shell) => {
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
  })

  test('a second demo on the same data ends with 1, and changes nothing', async () => {
    const beside = await runOnceHere({ ROWS: '1000', PORT: String(await freePort()) })
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

  test('reads its report files again on reload and on SIGHUP', async () => {
    const reload = await runHere('reload', '--config', join(dataDir, 'gateway.yaml'))
    expect(reload.code).toBe(0)
    expect(reload.stdout).toMatch(/^Loaded 10 reports: /)
    const printed = second.stdout()
    second.kill('SIGHUP')
    const again = () => second.stdout().slice(printed.length).includes('loaded 10 reports again')
    while (!again()) await new Promise((later) => setTimeout(later, 10))
  })

  test('leaves no process after Ctrl-C', async () => {
    second.kill('SIGINT')
    expect(await second.ended).toEqual({ code: 0, signal: null })
    expect(second.stderr()).toBe('')
  })
})

test.each(['master.key', 'shop-2.private.pem'])(
  'makes new logins when their %s is missing',
  async (name) => {
    const before = demoFile()
    rmSync(join(dataDir, name))
    expect(await runOnceHere({})).toMatchObject({ code: 0 })
    expect(existsSync(join(dataDir, name))).toBe(true)
    expect(demoFile().consumers[0].controlKey).not.toBe(before.consumers[0].controlKey)
  },
)

/** Opens the ledger as the demo does, and counts its transactions. */
async function rowsOf(rows: number): Promise<number> {
  const config = prepareDemoConfig({ port: Number(port), rows, dataDir })
  const engine = await openDemoLedger(config, rows)
  const row = z.object({ count: z.coerce.number() })
  const sql = 'SELECT count() AS count FROM transactions'
  const [counted] = await readRows(engine, row, { sql, parameters: {} })
  await engine.close()
  return counted?.count ?? 0
}

test('another number of rows makes another ledger', async () => {
  expect(await rowsOf(1000)).toBe(1000)
  expect(JSON.parse(markerOf())).toMatchObject({ rows: 1000, seed: 1 })
})

test('makes an incomplete ledger again, also with an empty marker', async () => {
  start(['--once'], { ROWS: '2000000' })
  // Killed as soon as the old ledger is gone and the new one has begun.
  while (existsSync(join(dataDir, 'ledger.json')))
    await new Promise((again) => setTimeout(again, 5))
  demo.kill('SIGKILL')
  expect(await demo.ended).toEqual({ code: null, signal: 'SIGKILL' })
  expect(existsSync(join(dataDir, 'ledger.json'))).toBe(false)
  writeFileSync(join(dataDir, 'ledger.json'), '')
  expect(await rowsOf(1000)).toBe(1000)
})

test.each([
  [{ PORT: 'x' }, 'PORT: expected a whole number from 1 to 65535, got "x"'],
  [{ ROWS: '10' }, 'ROWS: expected a whole number from 1000 to 1000000000, got "10"'],
])('refuses %j', async (env, expected) => {
  expect(await runOnceHere(env)).toEqual({ code: 1, stdout: '', stderr: `error: ${expected}\n` })
})

test('names a port that is taken, and ends with 1', async () => {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(Number(port), '127.0.0.1', listening))
  expect(await runOnceHere({})).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: Port ${port} is taken. Choose another port with the variable PORT, such as PORT=9000\n`,
  })
  await new Promise((closed) => server.close(closed))
})
