// @module-tag long

import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { withGateway } from '../../src/commands/with-gateway.ts'
import { loadConfig } from '../../src/config/config.ts'
import { type Engine, readRows } from '../../../engine/src/engine/engine.ts'
import { parseCursor } from '../../../common/src/instants.ts'
import { LedgerChanges } from '../../../ledger/src/changes/ledger-changes.ts'
import { createLog } from '../../src/observe/log.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { type Catalogue, loadCatalogue } from '../../../templates/src/template/load-templates.ts'
import { LIST, parameters } from '../kit/ask.ts'
import { runCommand } from '../kit/child-gateway.ts'
import { startClickHouse, clusterOf } from '../kit/clickhouse-server.ts'
import { csvOf, type FileRow, transactionRow, writeOwnSource } from '../kit/import-kit.ts'
import { byRef, CARDS, findEndpoints, operate } from '../kit/operate.ts'
import { runWithoutHttp } from '../kit/run-without-http.ts'
import { makeSandbox } from '../kit/sandbox.ts'

const RUNS = Number(process.env['CHANGES_RUNS'] ?? 100)
const OPERATOR = { login: 'operator', role: 'operator', sees: [] } as const

/** A run with `changedSince`: its rows, and the time at which it had ended. */
interface Run {
  readonly since: string
  readonly cursor: string
  readonly endedAt: number
  readonly versions: readonly string[]
}

/** What the runs of a test read. */
interface Source {
  readonly engine: Engine
  readonly changes: LedgerChanges
  readonly catalogue: Catalogue
}

const reportRow = z.object({ Transaction_id: z.string(), Amount: z.string(), Status: z.string() })

async function runSince({ engine, changes, catalogue }: Source, since: string): Promise<Run> {
  const source = { engine, catalogue, now: Date.now(), ledgerChanges: changes }
  const { text, cursor = '' } = await runWithoutHttp(source, OPERATOR, {
    ...LIST,
    ...parameters({ changedSince: since }),
    outputReportParameters: ['Transaction_id', 'Amount', 'Status'],
  })
  const rows = z.array(reportRow).parse(parse(text, { columns: true }))
  const versions = rows.map((row) => [row.Transaction_id, row.Amount, row.Status].join(' '))
  return { since, cursor, endedAt: Date.now(), versions }
}

const stateRow = z.object({ pending: z.coerce.number(), newest: z.coerce.number() })

/** Says whether a cursor is after every row of the ledger, and whether no operation has another version to come. */
async function isLast({ engine }: Source, cursor: string): Promise<boolean> {
  const [state] = await readRows(engine, stateRow, {
    sql: `SELECT countIf(status = 'processing' AND client_order_id LIKE 'watched-%') AS pending, toUnixTimestamp64Milli(max(loaded_at)) AS newest
    FROM transactions`,
    settings: { final: 1 },
  })
  return state?.pending === 0 && state.newest <= instantOf(cursor)
}

/** Runs the report from the beginning, while `work` changes the ledger, and until a run is after every change. */
async function runWhile(source: Source, work: () => Promise<unknown>) {
  const runs = [await runSince(source, '1970-01-01T00:00:00.000Z')]
  const next = async (): Promise<string> => {
    const run = await runSince(source, runs.at(-1)?.cursor ?? '')
    runs.push(run)
    return run.cursor
  }
  const over = new AbortController()
  const working = work().finally(() => over.abort())
  working.catch(() => {})
  while (!over.signal.aborted || runs.length < RUNS) {
    await next()
    await sleep(randomInt(50))
  }
  await working
  while (!(await isLast(source, await next()))) await sleep(200)
  return runs
}

/** The instant of a cursor, which may name its ledger. */
function instantOf(cursor: string): number {
  return parseCursor(cursor)?.instant ?? 0
}

const versionRow = z.object({
  id: z.string(),
  version: z.string(),
  order: z.coerce.number(),
  loadedAt: z.string().transform((text) => Date.parse(`${text.replace(' ', 'T')}Z`)),
})

/**
 * Compares the runs with the versions that the engine stores. It must not have merged any.
 *
 * @returns the versions that are in two runs, in none, or in a run of another time
 */
async function findFaults({ engine }: Source, runs: readonly Run[]) {
  const stored = await readRows(engine, versionRow, {
    sql: `SELECT DISTINCT toString(transaction_id) AS id, row_version AS order, loaded_at AS loadedAt,
      concat(id, ' ', toString(toDecimalString(amount, 3)), ' ', status) AS version
    FROM transactions`,
    settings: { final: 0 },
  })
  const given = runs.flatMap(({ versions }) => versions)
  const seen = new Set(given)
  const lost = stored.filter((one) => {
    if (seen.has(one.version)) return false
    // Only a version that was replaced before its run had ended may be missing.
    const run = runs.find(({ cursor }) => instantOf(cursor) >= one.loadedAt)
    const newer = stored.filter(({ id, order }) => id === one.id && order > one.order)
    return !newer.some(({ loadedAt }) => loadedAt <= (run?.endedAt ?? 0))
  })
  const loadedAt = new Map(stored.map((one) => [one.version, one.loadedAt]))
  const misplaced = runs.flatMap(({ since, cursor, versions }) => {
    return versions.filter((version) => {
      const at = loadedAt.get(version) ?? Number.NaN
      return !(at > instantOf(since) && at <= instantOf(cursor))
    })
  })
  return { repeated: given.filter((version, at) => given.indexOf(version) < at), lost, misplaced }
}

const NO_FAULTS = { repeated: [], lost: [], misplaced: [] }

/** Counts the changes after the first run, and the runs that have some. */
function countChanges([, ...runs]: readonly Run[]) {
  const filled = runs.filter(({ versions }) => versions.length > 0)
  return { runs: filled.length, changes: filled.flatMap(({ versions }) => versions).length }
}

let amounts = 0

/** Corrections of some of 400 transactions. Half of them are later than those of an earlier call. */
function corrections(count: number, round: number): readonly FileRow[] {
  return Array.from({ length: count }, () => {
    const number = randomInt(400)
    const [day, month] = [String(1 + (number % 28)).padStart(2, '0'), 1 + (number % 10)]
    amounts += 1
    // No two versions of a transaction may be equally new: either of them could be the current one.
    const updated = Date.UTC(2026, 10, 1, 0, 0, round * 2 + randomInt(4), amounts % 1000)
    const { row_version: _, ...row } = transactionRow(number, {
      created_at: `2026-${String(month).padStart(2, '0')}-${day} 10:00:00.000`,
      updated_at: new Date(updated).toISOString().replace('T', ' ').replace('Z', ''),
      merchant_id: String(1 + (number % 4)),
      amount: `${amounts}.00`,
    })
    return row
  })
}

test('a gateway gives every version once while imports and operations change the ledger', async () => {
  const sandbox = await makeSandbox(1000)
  onTestFinished(() => sandbox.remove())
  const file = await sandbox.writeConfig()
  const config = loadConfig(file)
  const log = createLog({ level: 'error', destination: { write: () => {} } })
  const engine = await openEngine(config)
  const catalogue = await loadCatalogue(sandbox.reports, engine)
  await engine.execute('SYSTEM STOP MERGES transactions')
  await withGateway(config, engine, { log, environment: {} }, async (gateway) => {
    const { reportUrl, ledgerChanges } = gateway
    const source = { engine, changes: ledgerChanges, catalogue }
    const { merchant } = sandbox.logins
    const { own } = await findEndpoints(engine, merchant)
    const importRounds = async (importer: number): Promise<void> => {
      for (let round = 0; round < 4; round += 1) {
        const path = join(sandbox.folder, `corrections-${importer}-${round}.csv`)
        const rows = corrections(150, round)
        const distinct = new Map(rows.map((row) => [row['transaction_id'], row]))
        writeFileSync(path, csvOf([...distinct.values()]))
        const options = ['--config', file, '--refused', `${path}.refused`]
        const command = runCommand(['import', ...options, writeOwnSource(sandbox.folder), path])
        await command.ended
        expect(command.stdout() + command.stderr()).toMatch(/ rows: [1-9]\d* taken/)
      }
    }
    const imported = new AbortController()
    const operations = async (): Promise<void> => {
      for (let order = 0; !imported.signal.aborted; order += 1) {
        const card = order % 2 === 0 ? CARDS.delayed : CARDS.approved
        const form = byRef(`watched-${order}`, own, { 'destination-card-no': card })
        const path = `v4/transfer-by-ref/${own.id}`
        const { text } = await operate({ sandbox, reportUrl }, merchant, path, form)
        expect(JSON.parse(text)).toMatchObject({ type: 'async-response' })
        await sleep(100)
      }
    }
    const runs = await runWhile(source, async () => {
      const importing = Promise.all([importRounds(1), importRounds(2)])
      await Promise.all([importing.finally(() => imported.abort()), operations()])
    })
    expect(await findFaults(source, runs)).toEqual(NO_FAULTS)
    expect(countChanges(runs).changes).toBeGreaterThan(150)
    expect(countChanges(runs).runs).toBeGreaterThan(1)
  })
})

// Longer than any insert on a busy machine.
const LAG_MS = 20_000

/** Inserts corrections as an operator does, from several connections. */
async function insertCorrections(insert: (sql: string) => Promise<unknown>): Promise<void> {
  const writers = Array.from({ length: 3 }, async () => {
    for (let round = 0; round < 20; round += 1) {
      const rows = corrections(10, round)
      const names = Object.keys(rows[0] ?? {})
      const values = rows.map((row) => `(${names.map((name) => `'${row[name]}'`).join()})`)
      await insert(`INSERT INTO transactions (${names.join()})
        SETTINGS distributed_foreground_insert = 1 VALUES ${values.join()}`)
      await sleep(randomInt(100))
    }
  })
  await Promise.all(writers)
}

test('a server gives every version once while an operator inserts', async () => {
  const server = await startClickHouse()
  const sandbox = await makeSandbox(0)
  onTestFinished(async () => {
    await server.remove()
    sandbox.remove()
  })
  const cluster = clusterOf(sandbox.folder, server)
  const engine = await openEngine(loadConfig(await sandbox.writeConfig({ engine: { cluster } })))
  onTestFinished(async () => await engine.close())
  const catalogue = await loadCatalogue(sandbox.reports, engine)
  await server.run('SYSTEM STOP MERGES transactions')
  const changes = new LedgerChanges(() => {}, { now: Date.now, lagMs: LAG_MS })
  const source = { engine, changes, catalogue }
  const runs = await runWhile(source, () => insertCorrections(server.run))
  expect(await findFaults(source, runs)).toEqual(NO_FAULTS)
  expect(countChanges(runs).changes).toBeGreaterThan(150)
  expect(countChanges(runs).runs).toBeGreaterThan(1)
})
