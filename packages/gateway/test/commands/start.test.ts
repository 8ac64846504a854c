// @module-tag long

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkStart } from '../../src/commands/serve.ts'
import { withGateway } from '../../src/commands/with-gateway.ts'
import { controlSocketFile, ledgerFolder, loadConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/observe/log.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { writeOwnSource } from '../kit/import-kit.ts'
import { runHere } from '../kit/run-here.ts'
import { serve } from '../kit/running-gateway.ts'
import { useSandbox } from '../kit/served-sandbox.ts'
import { type ChildGateway, runCommand, serveInChild, startInChild } from '../kit/child-gateway.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

const sandbox = await useSandbox(1000)

/** Writes a master key that every user can read. */
function openKey(): string {
  const file = join(sandbox.folder, 'open.key')
  writeFileSync(file, `${'A'.repeat(43)}=\n`)
  chmodSync(file, 0o644)
  return file
}

test('a start waits for a command that has the ledger open', async () => {
  const config = loadConfig(await sandbox.writeConfig())
  // The lock of this process would be no obstacle.
  const command = new DatabaseSync(join(ledgerFolder(config), 'counterfoil.lock'))
  command.exec('BEGIN EXCLUSIVE')
  const lines: string[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } })
  const starting = checkStart(config, { log, environment: {} })
  await expect.poll(() => lines.length).toBe(1)
  expect(lines[0]).toMatch(/waiting for another process that has .*ledger open/)
  command.close()
  await starting
  expect(lines).toHaveLength(1)
})

test('an import takes no rows of what is piped into it, and leaves that to the next command', async () => {
  const file = join(sandbox.folder, 'currencies.csv')
  writeFileSync(file, 'currency,exponent\nEUR,2\n')
  const config = await sandbox.writeConfig({ dataDir: join(sandbox.folder, 'new') })
  const args = ['import', writeOwnSource(sandbox.folder, 'currencies'), file, '--config', config]
  const command = ['-c', '"$@" && cat', 'sh', process.execPath, MAIN, ...args]
  const { stdout, stderr } = spawnSync('sh', command, {
    input: 'piped',
    encoding: 'utf8',
    env: { ...process.env, UV_THREADPOOL_SIZE: undefined },
  })
  expect(stderr).not.toContain('error')
  expect(stdout).toBe('1 row: 0 taken, 1 unchanged, 0 older, 0 refused.\npiped')
})

test('status says that a gateway is starting, and does not wait for it', async () => {
  const file = await sandbox.writeConfig()
  const config = loadConfig(file)
  const engine = await openEngine(config)
  const held = Promise.withResolvers<string>()
  const log = createLog({ level: 'silent', destination: { write: () => {} } })
  const readFingerprint = async (): Promise<string> => await held.promise
  const close = async (): Promise<void> => await engine.close()
  const dependencies = { log, environment: {} }
  const stopped = Promise.withResolvers<void>()
  const running = withGateway(config, { ...engine, readFingerprint, close }, dependencies, () => {
    return stopped.promise
  })
  await expect.poll(() => existsSync(controlSocketFile(config))).toBe(true)
  const status = async (): Promise<string> => (await runHere('status', '--config', file)).stdout
  expect(await status()).toMatch(/^The gateway has been starting since .*\n.* its log says what it/)
  held.resolve(await engine.readFingerprint())
  await expect.poll(status, { timeout: 20_000 }).toContain(`It answers at ${config.publicUrl}`)
  stopped.resolve()
  await running
})

test.each([
  ['a port that is taken', () => ({}), /^error: Port \d+ is taken\.\n$/],
  [
    'a master key that others can read',
    () => ({ masterKeys: [{ version: 1, file: openKey() }] }),
    /^error: Others may use the master key file. Run: chmod 600 /,
  ],
  [
    'a certificate that does not exist',
    () => ({ publicUrl: 'https://r.example', tls: { certificate: 'none.pem', key: 'none.key' } }),
    /^error: tls\.certificate: .*none\.pem does not exist\.\n$/,
  ],
])(
  '%s ends a start before the ledger is opened, and leaves no folder',
  async (_, change, fault) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const dataDir = join(sandbox.folder, 'not-made')
    const listen = { host: '127.0.0.1', port }
    const config = await sandbox.writeConfig({ dataDir, listen, ...change() })
    const ended = await runHere('serve', '--config', config)
    server.close()
    expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(fault) })
    expect(existsSync(dataDir)).toBe(false)
  },
)

test('a start without "otherEnvironment" warns in one line', async () => {
  const warningsOf = async (change: object): Promise<readonly unknown[]> => {
    const gateway = await serve(sandbox, change)
    await gateway.close()
    return gateway.lines().filter(({ msg }) => String(msg).includes('otherEnvironment is not set'))
  }
  expect(await warningsOf({ otherEnvironment: undefined })).toMatchObject([{ level: 'warn' }])
  expect(await warningsOf({ otherEnvironment: {} })).toEqual([])
})

test('a start keeps the compiled code in the folder of systemd, which only its user can read', async () => {
  const cache = join(sandbox.folder, 'cache')
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env
  const env = { ...inherited, CACHE_DIRECTORY: cache }
  expect(spawnSync(process.execPath, [MAIN, '--version'], { env }).status).toBe(0)
  const files = readdirSync(cache, { recursive: true, withFileTypes: true })
  expect(files.filter((entry) => entry.isFile()).length).toBeGreaterThan(100)
  expect(statSync(cache).mode & 0o077).toBe(0)
})

describe('a gateway in a process of its own', () => {
  const reports = join(sandbox.folder, 'own-reports')
  cpSync(join(sandbox.reports, 'transactions-list.yaml'), join(reports, 'transactions-list.yaml'))
  let child: ChildGateway
  // Each start checks every report file.
  beforeEach(() => rmSync(join(sandbox.dataDir, 'report-checks.json'), { force: true }))
  afterEach(async () => {
    child.kill('SIGKILL')
    await child.ended
  })

  test('a second gateway on the same data does not start, names the first, and does not take its commands', async () => {
    child = await serveInChild(sandbox, { reports })
    const second = runCommand(['serve', '--config', child.config])
    expect(await second.ended).toMatchObject({ code: 1 })
    expect(second.stderr()).toBe(
      `error: Another process (PID ${child.pid}) has the ledger in ${join(sandbox.dataDir, 'ledger')} open. Stop it first\n`,
    )
    expect(await runHere('reload', '--config', child.config)).toMatchObject({ code: 0 })
  })

  test('a gateway that gets SIGTERM during its start leaves no control socket', async () => {
    child = await startInChild(sandbox, { reports })
    await child.line(/"checking 1 report files/)
    child.kill('SIGTERM')
    expect(await child.ended).toMatchObject({ code: 0 })
    expect(existsSync(join(sandbox.dataDir, 'control.sock'))).toBe(false)
    expect(child.stdout()).toMatch(/"stopping"[^]*"listening on [^]*"stopped"/)
  })

  test('a starting gateway accepts reload, and does not end at SIGHUP', async () => {
    child = await startInChild(sandbox, { reports })
    for (const step of [/opening the ledger in/, /checking 1 report files/]) {
      await child.line(step)
      child.kill('SIGHUP')
    }
    // The gateway may log its steps before its socket is there.
    await expect.poll(() => existsSync(join(sandbox.dataDir, 'control.sock'))).toBe(true)
    expect(await runHere('reload', '--config', child.config)).toMatchObject({ code: 0, stderr: '' })
    // The reload is over only after the start.
    await child.line(/listening on /)
  })
})
