import { join } from 'node:path'
import { FILTER_NAMES, type FilterName, type ReportRequest } from '@counterfoil/protocol'
import fc from 'fast-check'
import * as z from 'zod'
import { generateLedger } from '../../../../sample-data/src/generate/generate-ledger.ts'
import { type Engine, readRows } from '../../../../engine/src/engine/engine.ts'
import { GatewayError } from '../../../../common/src/errors.ts'
import { FILTER_COLUMNS } from '../../../../ledger/src/model/hierarchy.ts'
import type { Login } from '../../../../store/src/store/login-store.ts'
import type { Role } from '../../../../common/src/roles.ts'
import { type Catalogue, loadCatalogue } from '../../../../templates/src/template/load-templates.ts'
import { dropMonthsBefore } from '../../kit/drop-months.ts'
import { openKeptChecks } from '../../kit/kept-checks.ts'
import { isSeenBy } from '../../oracles/ledger-sql.ts'
import { runWithoutHttp, type Source } from '../../kit/run-without-http.ts'
import type { World } from './cases.ts'
import type { Viewer } from './own-ledger.ts'

/** How a world is chosen. */
interface WorldOptions {
  readonly seed: number
  /** How many logins. */
  readonly viewers: number
  /** A folder for the checks of report files. */
  readonly folder: string
}

const REPORTS = [
  join(import.meta.dirname, '../../../../../reports'),
  join(import.meta.dirname, 'reports'),
]
const NOW = Date.UTC(2026, 10, 2)

/** Fills a ledger with generated transactions. Some have had another owner, and some have another owner now. */
export async function fillLedger(
  engine: Engine,
  { rows, seed, firstMonth }: { rows: number; seed: number; firstMonth: string },
): Promise<void> {
  await generateLedger(engine, { rows, seed })
  await dropMonthsBefore(engine, firstMonth)
  await moveSome(engine)
}

/** Reads from a ledger the values from which requests are made, and chooses logins. */
export async function readWorld(engine: Engine, options: WorldOptions): Promise<World> {
  const ids = await readIds(engine)
  const viewers = chooseViewers(ids, options)
  const catalogue = await openCatalogue(engine, options.folder)
  const texts = await readRows(engine, z.object({ text: z.string() }), {
    sql: "SELECT client_order_id AS text FROM transactions WHERE position(client_order_id, ',') = 0 ORDER BY cityHash64(transaction_id) LIMIT 20 UNION ALL SELECT toString(statement_id) FROM statements ORDER BY 1 LIMIT 20",
  })
  const ownIds = []
  for (const viewer of viewers) ownIds.push(await readIds(engine, isSeenBy(viewer)))
  return {
    viewers,
    catalogue,
    ids,
    ownIds,
    texts: texts.map(({ text }) => text).filter((text) => text !== ''),
    from: Date.UTC(2025, 10, 1),
    to: Date.UTC(2026, 10, 1),
  }
}

/** Runs a request for a login of a role with the scope of `seer`. A problem becomes a text, with -1 rows. */
export async function answer(
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

async function openCatalogue(engine: Engine, folder: string): Promise<Catalogue> {
  const checks = openKeptChecks(folder)
  const load = (reports: string) => loadCatalogue(reports, engine, { checks })
  const [product, own] = await Promise.all(REPORTS.map(load))
  if (!product || !own) throw new Error('expected two folders of reports')
  return { ...product, reports: new Map([...product.reports, ...own.reports]) }
}

/** Gives some transactions a later version of another owner, and some an earlier version of another owner. */
async function moveSome(engine: Engine): Promise<void> {
  const columns =
    "* REPLACE (row_version + 1 AS row_version, 1 + (toInt32(manager_id) + 1) % 3 AS manager_id, if(toInt64(transaction_id) % 2 = 0, NULL, 2) AS reseller_id, amount + 1 AS amount, processed_at + INTERVAL 40 DAY AS processed_at, 'declined' AS status)"
  await engine.execute(
    `INSERT INTO transactions SELECT ${columns} FROM transactions WHERE cityHash64(transaction_id) % 10 = 0`,
  )
  const older =
    '* REPLACE (row_version - 1 AS row_version, 1 + (toInt32(manager_id) + 2) % 3 AS manager_id, amount + 2 AS amount)'
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
  const [ids] = await readRows(engine, row, sql)
  if (!ids) throw new Error('expected ids')
  return ids
}

function chooseViewers(ids: World['ids'], { viewers, seed }: WorldOptions): readonly Viewer[] {
  return Array.from({ length: viewers }).flatMap((_, index) => {
    // Every role takes its turn, so all roles occur among few viewers too.
    const role = (['manager', 'reseller', 'merchant'] as const)[index % 3] ?? 'merchant'
    const own = ids[`${role}s`].filter((id) => id !== '')
    const maxLength = role === 'merchant' ? 4 : 2
    const sees = fc.shuffledSubarray(own, { minLength: 1, maxLength })
    const viewer = sees.map((chosen): Viewer => ({ role, sees: chosen }))
    return fc.sample(viewer, { numRuns: 1, seed: seed + index })
  })
}
