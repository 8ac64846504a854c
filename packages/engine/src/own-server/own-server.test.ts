import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { READABLE } from '../../../gateway/test/kit/clickhouse-server.ts'
import {
  CLUSTER_OPTIONS,
  NEVER,
  query as queryIn,
  read,
} from '../../../gateway/test/kit/cluster-kit.ts'
import { readRows } from '../engine/engine.ts'
import { openOwnEngine, type OwnEngineOptions } from './own-engine.ts'
import { OwnServer } from './own-server.ts'

const OPTIONS = { memoryMax: 1024 ** 3, reportColumns: READABLE }

const query = (sql: string) => queryIn(sql, 'CSV')

function makeFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

async function open(directory: string, onCrash?: OwnEngineOptions['onCrash']) {
  const engine = await openOwnEngine({ ...CLUSTER_OPTIONS, directory, onCrash })
  onTestFinished(() => engine.close())
  return engine
}

/** Reads the process of the server that has a folder open. */
function processOf(directory: string): number {
  return Number(/^PID: (\d+)$/m.exec(readFileSync(join(directory, 'status'), 'utf8'))?.[1])
}

/** Whether a process runs. One that nobody waits for stays as a zombie. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const file = `/proc/${pid}/status`
  return !existsSync(file) || !/^State:\s+Z/m.test(readFileSync(file, 'utf8'))
}

async function ask(url: string, login: string, sql: string): Promise<readonly [number, string]> {
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`
  const reply = await fetch(url, { method: 'POST', body: sql, headers: { authorization } })
  return [reply.status, (await reply.text()).trim()]
}

test('the server takes its own user alone, on a loopback address, and no process shows the password', async () => {
  const directory = makeFolder()
  const server = await OwnServer.open({ ...OPTIONS, directory })
  onTestFinished(() => server.close())
  const { url, login } = await server.address()
  expect(await ask(url, `${login.user}:${login.password}`, 'SELECT 1')).toEqual([200, '1'])
  expect(await ask(url, `${login.user}:x`, 'SELECT 1')).toMatchObject([expect.any(Number), /AUTH/])
  const [status, text] = await ask(url, 'default:', 'SELECT 1')
  expect(status).toBeGreaterThanOrEqual(400)
  expect(text).toContain('USER_SESSION_LIMIT_EXCEEDED')
  expect(new URL(url).hostname).toBe('127.0.0.1')
  const folder = join(directory, 'access')
  for (const name of readdirSync(folder)) {
    if (name === 'listening') continue
    const file = join(folder, name)
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain(login.password)
  }
})

test('a killed server fails its queries, and starts again at once for the next one', async () => {
  const directory = makeFolder()
  const crashes: string[] = []
  const engine = await open(directory, (reason) => void crashes.push(reason))
  await engine.execute('CREATE TABLE kept (n UInt8) ENGINE = MergeTree ORDER BY n')
  await engine.execute('INSERT INTO kept VALUES (7)')
  const long = await engine.stream(query('SELECT number FROM numbers(1000000000)'), NEVER)
  await long.next()
  const slow = 'SELECT max(cityHash64(number)) AS n FROM numbers(100000000000)'
  const unborn = engine.stream(query(slow), NEVER)
  unborn.catch(() => {})
  process.kill(processOf(directory), 'SIGKILL')
  await expect(unborn).rejects.toMatchObject({ code: 'engine-busy' })
  const drained = async () => {
    for await (const _ of long);
  }
  await expect(drained()).rejects.toMatchObject({ code: 'engine-failed' })
  expect(await read(engine, query('SELECT n FROM kept'))).toMatchObject({ text: '7\n' })
  expect(crashes).toEqual([expect.stringContaining('SIGKILL')])
})

test('an engine out of memory fails one query and serves the others', {
  tags: ['long'],
}, async () => {
  const engine = await open(makeFolder())
  const sort = 'SELECT number AS n FROM numbers(100000000) ORDER BY cityHash64(number)'
  const greedy = query(sort)
  const settings = { max_memory_usage: 0, max_execution_time: 600 }
  const { error } = await read(engine, { ...greedy, settings })
  expect(error).toMatchObject({ code: 'engine-busy' })
  expect(await read(engine, query('SELECT 1 AS a'))).toMatchObject({ text: '1\n' })
})

test('a second process cannot open the ledger, and the server ends with a process that is killed', async () => {
  const directory = makeFolder()
  const owner = await startOwner(directory)
  const server = processOf(directory)
  expect(isRunning(server)).toBe(true)
  await expect(open(directory)).rejects.toThrow(
    `Another process (PID ${owner.pid}) has the ledger in ${directory} open. Stop it first`,
  )
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  const engine = await open(directory)
  expect(isRunning(server)).toBe(false)
  const row = z.object({ a: z.number() })
  expect(await readRows(engine, row, { sql: 'SELECT 1 AS a', parameters: {} })).toEqual([{ a: 1 }])
})

test('the server outlives the signals that a service manager or a terminal sends to its group', async () => {
  const directory = makeFolder()
  const engine = await open(directory)
  const server = processOf(directory)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(server, signal)
  expect(await read(engine, query('SELECT sleep(0.3) AS a'))).toMatchObject({ text: '0\n' })
  expect(processOf(directory)).toBe(server)
})

/** Starts a process that opens the ledger, and waits until the ledger is open. */
async function startOwner(directory: string): Promise<ChildProcess> {
  const options = JSON.stringify({ ...OPTIONS, directory })
  const file = JSON.stringify(join(import.meta.dirname, 'own-server.ts'))
  const script = `const { OwnServer } = await import(${file})
    await OwnServer.open(${options})
    console.log('open')
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void owner.kill('SIGKILL'))
  await once(owner.stdout, 'data')
  return owner
}
