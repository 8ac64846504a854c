import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FILTER_NAMES, type FilterName, type ReportRequest } from '@counterfoil/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { type Engine, readRows } from '../../src/engine/engine.ts'
import { GatewayError } from '../../src/errors.ts'
import { generateLedger } from '../../../sample-data/src/generate/generate-ledger.ts'
import { FILTER_COLUMNS } from '../../src/ledger/hierarchy.ts'
import type { Login, Role } from '../../src/store/store.ts'
import { type Catalogue, loadCatalogue } from '../../src/templates/load-templates.ts'
import { openKeptChecks } from '../kit/kept-checks.ts'
import { dropMonthsBefore } from '../kit/drop-months.ts'
import { runWithoutHttp, type Source } from '../kit/run-without-http.ts'
import { openScratchLedger } from '../kit/scratch-ledger.ts'
import { anyCase, type Case } from './tenancy/cases.ts'
import { exportOwn, importOwn, type Viewer } from './tenancy/own-ledger.ts'

// `npm run tenancy` sets these.
const CASES = Number(process.env['TENANCY_CASES'] ?? 60)
const SEED = Number(process.env['TENANCY_SEED'] ?? 1)
const VIEWERS = Math.max(4, Math.round(CASES / 100))
/** The scope must change the answer to more requests than these. After that many, the test does not compare it. */
const WIDENED = CASES / 4
const ROWS = 16_000
const FROM = Date.UTC(2025, 10, 1)
const REPORTS = [
  join(import.meta.dirname, '../../../../reports'),
  join(import.meta.dirname, 'tenancy/reports'),
]
const NOW = Date.UTC(2026, 10, 2)
const ENGINE = { sessions: 2, queueLength: 16, queueWaitMs: 60_000 }
const EVERYTHING = { role: 'operator', sees: [] } as const

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a request for a login of a role with the scope of `seer`. A problem becomes a text, with -1 rows. */
async function answer(
  source: Omit<Source, 'now'>,
  seer: Pick<Login, 'role' | 'sees'>,
  role: Role,
  request: ReportRequest,
): Promise<{ readonly text: string; readonly rows: number }> {
  try {
    const login = 'any'
    const viewer = { login, role, sees: [] }
    return await runWithoutHttp({ ...source, now: NOW }, viewer, request, { login, ...seer })
  } catch (error) {
    if (error instanceof GatewayError && error.code !== 'engine-failed') {
      return { text: `${error.code}: ${error.message}`, rows: -1 }
    }
    throw error
  }
}

async function openCatalogue(engine: Engine): Promise<Catalogue> {
  const checks = openKeptChecks(folder)
  const load = (reports: string) => loadCatalogue(reports, engine, { checks })
  const [product, own] = await Promise.all(REPORTS.map(load))
  if (!product || !own) throw new Error('expected two folders of reports')
  return { ...product, reports: new Map([...product.reports, ...own.reports]) }
}

/** Gives some transactions a later version of another owner, and some an earlier version of another owner. */
async function moveSome(engine: Engine): Promise<void> {
  const columns =
    "* REPLACE (row_version + 1 AS row_version, 1 + (manager_id + 1) % 3 AS manager_id, if(transaction_id % 2 = 0, NULL, 2) AS reseller_id, amount + 1 AS amount, processed_at + INTERVAL 40 DAY AS processed_at, 'declined' AS status)"
  await engine.execute(
    `INSERT INTO transactions SELECT ${columns} FROM transactions WHERE cityHash64(transaction_id) % 10 = 0`,
  )
  const older =
    '* REPLACE (row_version - 1 AS row_version, 1 + (manager_id + 2) % 3 AS manager_id, amount + 2 AS amount)'
  await engine.execute(
    `INSERT INTO transactions SELECT ${older} FROM transactions WHERE cityHash64(transaction_id) % 10 = 1`,
  )
}

async function readIds(
  engine: Engine,
  where = '1',
): Promise<Readonly<Record<FilterName, readonly string[]>>> {
  const columns = FILTER_NAMES.map((name) => {
    return `arraySort(groupUniqArray(toString(assumeNotNull(${FILTER_COLUMNS[name]})))) AS ${name}`
  })
  const sql = `SELECT ${columns.join(', ')} FROM transactions FINAL WHERE ${where}`
  const row = z.record(z.enum(FILTER_NAMES), z.array(z.string()))
  const [ids] = await readRows(engine, row, { sql, parameters: {} })
  if (!ids) throw new Error('expected ids')
  return ids
}

async function chooseViewers(engine: Engine): Promise<readonly Viewer[]> {
  const ids = await readIds(engine)
  return Array.from({ length: VIEWERS }).flatMap((_, index) => {
    // Every role takes its turn, so all roles occur among few viewers too.
    const role = (['manager', 'reseller', 'merchant'] as const)[index % 3] ?? 'merchant'
    const own = ids[`${role}s`].map(Number).filter((id) => id > 0)
    const maxLength = role === 'merchant' ? 4 : 2
    const sees = fc.shuffledSubarray(own, { minLength: 1, maxLength })
    const viewer = sees.map((chosen): Viewer => ({ role, sees: chosen }))
    return fc.sample(viewer, { numRuns: 1, seed: SEED + index })
  })
}

const ROLE_COLUMNS = { manager: 'manager_id', reseller: 'reseller_id', merchant: 'merchant_id' }

test(`answers ${CASES} requests as from a ledger that holds only the caller’s rows`, {
  timeout: 3_600_000,
}, async () => {
  const ledger = await openScratchLedger(ENGINE)
  const { engine } = ledger
  await generateLedger(engine, { rows: ROWS, seed: SEED })
  await dropMonthsBefore(engine, '202511')
  await moveSome(engine)
  const viewers = await chooseViewers(engine)
  const catalogue = await openCatalogue(engine)
  const texts = await readRows(engine, z.object({ text: z.string() }), {
    sql: "SELECT client_order_id AS text FROM transactions WHERE position(client_order_id, ',') = 0 ORDER BY cityHash64(transaction_id) LIMIT 20 UNION ALL SELECT toString(statement_id) FROM statements ORDER BY 1 LIMIT 20",
    parameters: {},
  })
  const ownIds = []
  for (const [index, { role, sees }] of viewers.entries()) {
    ownIds.push(await readIds(engine, `${ROLE_COLUMNS[role]} IN (${sees.join(', ')})`))
    await exportOwn(engine, { role, sees }, join(folder, `own-${index}`))
  }
  const world = {
    viewers,
    catalogue,
    ids: await readIds(engine),
    ownIds,
    texts: texts.map(({ text }) => text).filter((text) => text !== ''),
    from: FROM,
    to: Date.UTC(2026, 10, 1),
  }
  const cases = fc.sample(anyCase(world), { numRuns: CASES, seed: SEED })
  const scoped: string[] = []
  const seen = { rows: 0, empty: 0, problems: 0, widened: 0 }
  for (const { viewer, request } of cases) {
    const { role, sees } = at(viewers, viewer)
    const all = { engine, catalogue }
    const { text, rows } = await answer(all, { role, sees }, role, request)
    scoped.push(digest(text))
    if (seen.widened <= WIDENED) {
      const unscoped = await answer(all, EVERYTHING, role, request)
      if (unscoped.text !== text) seen.widened += 1
    }
    if (rows > 0) seen.rows += 1
    else if (rows === 0) seen.empty += 1
    else seen.problems += 1
  }
  await ledger.close()

  const wrong: Case[] = []
  for (const [index, { role }] of viewers.entries()) {
    const own = await openScratchLedger(ENGINE)
    await importOwn(own.engine, join(folder, `own-${index}`))
    for (const [place, { viewer, request }] of cases.entries()) {
      if (viewer !== index) continue
      const { text } = await answer({ engine: own.engine, catalogue }, EVERYTHING, role, request)
      if (digest(text) !== scoped[place]) wrong.push({ viewer, request })
    }
    await own.close()
  }
  expect(
    wrong.slice(0, 5).map(({ viewer, request }) => [at(viewers, viewer), JSON.stringify(request)]),
  ).toEqual([])
  // If all reports were empty or refused, the test would prove nothing.
  expect(seen.rows).toBeGreaterThan(CASES / 3)
  expect(seen.problems).toBeLessThan(CASES / 2)
  expect(seen.widened).toBeGreaterThan(WIDENED)
})

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function at<T>(list: readonly T[], index: number): T {
  const element = list[index]
  if (element === undefined) throw new Error(`expected an element at ${index}`)
  return element
}
