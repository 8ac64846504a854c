// @module-tag long

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import type { Engine, Queries } from '../../../engine/src/engine/engine.ts'
import { importFiles } from '../../../ledger/src/import/import-files.ts'
import { createImports } from '../../../ledger/src/import/imports.ts'
import { LedgerChanges } from '../../../ledger/src/changes/ledger-changes.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { runCommand } from '../kit/child-gateway.ts'
import {
  startClickHouse,
  startServer,
  type TestServer,
  usersXml,
  clusterOf,
} from '../kit/clickhouse-server.ts'
import {
  csvOf,
  ownSource,
  transactionRow,
  writeCommandConfig,
  writeOwnSource,
} from '../kit/import-kit.ts'
import { mortal } from '../kit/mortal.ts'
import { runHere } from '../kit/run-here.ts'

const ROWS = 300
const MONTHS = ['2026-08', '2026-09']

let folder: string
let server: TestServer
let configFile: string
let file: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  server = await startClickHouse()
  configFile = writeConfig('gateway.yaml', server)
  file = writeRows('transactions.csv', rowsFrom(0))
})
afterEach(async () => await server.run('TRUNCATE TABLE transactions'))
afterAll(async () => {
  await server.remove()
  rmSync(folder, { recursive: true })
})

function writeConfig(name: string, ...servers: readonly Pick<TestServer, 'url'>[]): string {
  const engine = { sessions: 1, cluster: clusterOf(folder, ...servers) }
  return writeCommandConfig(folder, { engine }, name)
}

function writeRows(name: string, rows: string): string {
  writeFileSync(join(folder, name), rows)
  return join(folder, name)
}

function rowsFrom(first: number, change: object = {}): string {
  return csvOf(
    Array.from({ length: ROWS }, (_, at) => {
      const month = MONTHS[at % 2]
      return transactionRow(first + at, { created_at: `${month}-01 10:00:00.000`, ...change })
    }),
  )
}

const importHere = async (...args: string[]) =>
  await runHere('import', '--config', configFile, writeOwnSource(folder), ...args)

const countRows = async () => (await server.run('SELECT count() FROM transactions FINAL')).trim()
const countTables = async () => {
  const sql = "SELECT count() FROM system.tables WHERE startsWith(name, 'import_')"
  return (await server.run(sql)).trim()
}

describe('an import into a ClickHouse server', () => {
  test('checks every row, refuses a card number, and changes nothing the second time', async () => {
    const refused = join(folder, 'refused.csv')
    const rows = [
      transactionRow(1),
      transactionRow(2, { purpose: 'card 4111 1111 1111 1111' }),
      transactionRow(3, { purpose: 'a "quoted"\n\nINSERT' }),
    ]
    const some = writeRows('some.csv', csvOf(rows))
    const first = await importHere(some, '--refused', refused)
    expect(first).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('3 rows: 2 taken, 0 unchanged, 0 older, 1 refused.\n'),
    })
    expect(readFileSync(refused, 'utf8')).toContain('purpose: expected no card number')
    expect((await importHere(some, '--refused', refused)).stdout).toContain('0 taken, 2 unchanged')
    expect(await countRows()).toBe('2')
    expect(await server.run("SELECT purpose FROM transactions WHERE purpose != ''")).toBe(
      'a "quoted"\\n\\nINSERT\n',
    )
    expect(await countTables()).toBe('0')
  })

  test('waits for another import, and both are complete', async () => {
    const other = writeRows('other.csv', rowsFrom(1_000))
    const [one, two] = await Promise.all(
      [file, other].map(async (path) => {
        const command = runCommand(['import', '--config', configFile, writeOwnSource(folder), path])
        await command.ended
        return command.stdout() + command.stderr()
      }),
    )
    expect([one, two].join('\n')).toMatch(/(300 rows: 300 taken[^]*){2}/)
    expect(await countRows()).toBe(String(2 * ROWS))
  })
})

describe('an interrupted import into a server leaves all rows or none, and the next command completes or removes it,', () => {
  /** Runs work on the ledger of the server, in this process. */
  async function withServer<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = await openEngine(loadConfig(configFile))
    try {
      return await work(engine)
    } finally {
      await engine.close()
    }
  }

  const importInto = async (engine: Queries) => {
    const config = loadConfig(configFile)
    const imports = createImports({ engine, changes: new LedgerChanges(), isShared: true })
    await importFiles(
      { engine, imports },
      {
        files: [file],
        source: ownSource(),
        dataDir: config.dataDir,
        refusedFile: join(folder, 'refused.csv'),
      },
    )
  }

  test.each([
    [/INSERT INTO import_checked/, 0],
    [/INSERT INTO import_changes/, 0],
    [/ATTACH PARTITION ALL/, ROWS],
    [/DROP TABLE import_changes/, ROWS],
  ])('at %s', async (stop, rows) => {
    await withServer(async (engine) => {
      await expect(importInto(mortal(engine, stop))).rejects.toThrow('dead')
    })
    expect(await countTables()).not.toBe('0')
    await withServer(async () => {})
    expect([await countRows(), await countTables()]).toEqual([String(rows), '0'])
  })

  test.each(['Comparing', 'Writing'])('killed after %s', async (step) => {
    const command = runCommand(['import', '--config', configFile, writeOwnSource(folder), file])
    while (!command.stderr().includes(step)) {
      expect(command.process.exitCode).toBe(null)
      await sleep(2)
    }
    command.kill('SIGKILL')
    await command.ended
    const { stdout } = await importHere(file)
    expect(stdout).toMatch(/300 rows: (300 taken, 0 unchanged|0 taken, 300 unchanged), 0 older, 0/)
    expect([await countRows(), await countTables()]).toEqual([String(ROWS), '0'])
  })
})

describe('on a server', () => {
  const idOf = async () => (await server.run('SELECT max(import_id) FROM ledger_imports')).trim()

  test('an import can be undone, and rows can be deleted', async () => {
    await importHere(file)
    const before = await server.run(
      'SELECT sum(cityHash64(* EXCEPT loaded_at)) FROM transactions FINAL',
    )
    const newer = writeRows('newer.csv', rowsFrom(100, { row_version: '2', amount: '9.99' }))
    expect((await importHere(newer)).stdout).toContain('300 taken')
    const undone = await runHere('import', 'undo', await idOf(), '--config', configFile)
    expect(undone).toMatchObject({ code: 0 })
    expect(undone.stdout).toContain(
      'removed 300 rows of transactions, and 200 replaced rows are back',
    )
    expect(
      await server.run('SELECT sum(cityHash64(* EXCEPT loaded_at)) FROM transactions FINAL'),
    ).toBe(before)
    const { stdout } = await runHere('status', '--config', configFile)
    expect(stdout).toMatch(/^\d+ .* transactions +300 +200 +0 +newer\.csv \(undone\)$/m)
    const day = ['--before', '2026-09-01']
    const deleted = await runHere('ledger', 'delete', '--config', configFile, '--yes', ...day)
    expect(deleted).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^transactions +150$/m),
    })
    expect(await countRows()).toBe('150')
    const sums =
      'SELECT toDate32(created_at) AS day, min(processed_at) FROM transactions GROUP BY day'
    const settings = 'SETTINGS optimize_use_projections'
    expect(await server.run(`${sums} ${settings} = 1`)).toBe(
      await server.run(`${sums} ${settings} = 0`),
    )
  })
})

describe('an import refuses', () => {
  test('a server on which the user lacks a right, and names the right', async () => {
    const right = 'GRANT SELECT ON system.parts'
    const other = await startServer({ users: usersXml().replace(`<query>${right}</query>`, '') })
    const config = writeConfig('less.yaml', other)
    const args = ['import', '--config', config, writeOwnSource(folder), file]
    const { code, stderr } = await runHere(...args)
    await other.remove()
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Run: ${right} TO counterfoil_owner`),
    ])
  })

  test('several servers', async () => {
    const servers = ['http://127.0.0.1:1', 'http://127.0.0.1:2'].map((url) => ({ url }))
    const config = writeConfig('other.yaml', ...servers)
    const args = ['import', '--config', config, writeOwnSource(folder), file]
    const { code, stderr } = await runHere(...args)
    expect(code).toBe(1)
    expect(stderr).toContain('several servers')
    expect(stderr).toContain('"Into a ClickHouse server"')
  })
})
