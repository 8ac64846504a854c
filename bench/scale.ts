import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import * as z from 'zod'
import { type Engine, type EngineQuery, readRows } from '../packages/gateway/src/engine/engine.ts'
import { openBenchGateway } from './bench-gateway.ts'
import { lookUpOf, planOf } from './bench-plan.ts'
import type { Comparison } from './comparison.ts'
import { median } from './rounds.ts'
import { settingsClause, STREAMING_SETTINGS } from '../packages/gateway/src/clickhouse/settings.ts'

const SIZES = [1_000_000, 5_000_000, 50_000_000] as const
/** The merchant of each ledger has about this many rows in the month. */
const ROWS_WANTED = 2_000
const GRANULE = 2_048
const MONTH = ['2026-05-01', '2026-06-01'] as const
const AXES = ['created', 'processed', 'bank', 'settled'] as const
const ROUNDS = 5

/** The cost of a query. */
interface Cost {
  readonly returned: number
  readonly read: number
  readonly ms: number
}

type ByAxis = Readonly<Record<(typeof AXES)[number], Cost>>

/** The measurements of one ledger. */
interface Measured {
  readonly rows: number
  readonly parts: number
  /** The month of a merchant with about `ROWS_WANTED` rows, by each axis. */
  readonly merchant: ByAxis
  /** The month of the merchant with the most rows. */
  readonly largest: ByAxis
  /** A manager's month. */
  readonly manager: ByAxis
  /** A reseller's month. */
  readonly reseller: Cost
}

/**
 * Measures how many rows a month's report reads from ledgers of growing size, for each role and each of the four dates.
 */
export async function measureScale(): Promise<readonly Comparison[]> {
  const measured: Measured[] = []
  for (const rows of SIZES) measured.push(await measureOne(rows))
  return [...measured.flatMap(compareReads), ...compareTimes(measured)]
}

async function measureOne(rows: number): Promise<Measured> {
  const { gateway, engine } = await openBenchGateway(rows)
  try {
    const [merchant, largest, manager, reseller] = await Promise.all([
      idNear(engine, 'merchant_id', ROWS_WANTED),
      idNear(engine, 'merchant_id', rows),
      idNear(engine, 'manager_id', 0),
      idNear(engine, 'reseller_id', ROWS_WANTED),
    ])
    return {
      rows,
      parts: await countParts(engine),
      merchant: await costsOf(engine, `merchant_id IN (${merchant})`),
      largest: await costsOf(engine, `merchant_id IN (${largest})`),
      manager: await costsOf(engine, `manager_id IN (${manager})`),
      reseller: await costOf(engine, `reseller_id IN (${reseller})`, 'created'),
    }
  } finally {
    await gateway.close()
  }
}

/** The id whose month is nearest to a number of rows. */
async function idNear(engine: Engine, column: string, wanted: number): Promise<number> {
  const [row] = await readRows(engine, z.object({ id: z.number() }), {
    sql: `SELECT assumeNotNull(${column}) AS id FROM transactions
      WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')} AND ${column} IS NOT NULL
      GROUP BY id ORDER BY abs(toInt64(count()) - {wanted:Int64}), id LIMIT 1`,
    parameters: { from: `${MONTH[0]} 00:00:00.000`, to: `${MONTH[1]} 00:00:00.000`, wanted },
  })
  if (!row) throw new Error(`expected a ${column} with rows`)
  return row.id
}

async function countParts(engine: Engine): Promise<number> {
  const [row] = await readRows(engine, z.object({ parts: z.coerce.number() }), {
    sql: `SELECT count() AS parts FROM system.parts
      WHERE active AND database = 'default' AND table = 'transactions' AND partition = {month:String}`,
    parameters: { month: MONTH[0].slice(0, 7).replace('-', '') },
  })
  return row?.parts ?? 0
}

const answerSchema = z.object({
  rows: z.number(),
  data: z.array(z.array(z.unknown())),
  statistics: z.object({ rows_read: z.number() }),
})

async function costsOf(engine: Engine, scope: string): Promise<ByAxis> {
  return {
    created: await costOf(engine, scope, 'created'),
    processed: await costOf(engine, scope, 'processed'),
    bank: await costOf(engine, scope, 'bank'),
    settled: await costOf(engine, scope, 'settled'),
  }
}

/** Runs a month's report and its query for days as the gateway does, and reads the engine's statistics of both. */
async function costOf(engine: Engine, scope: string, axis: (typeof AXES)[number]): Promise<Cost> {
  const request: ReportRequest = {
    reportIdentifier: 'transactions-list',
    inputReportParameters: [
      { type: 'INPUT_TEXT', name: 'dateFrom', value: MONTH[0] },
      { type: 'INPUT_TEXT', name: 'dateTo', value: MONTH[1] },
      { type: 'INPUT_TEXT', name: 'dateAxis', value: axis },
    ],
  }
  const lookUp = lookUpOf(request)
  const times: number[] = []
  let cost = { returned: 0, read: 0 }
  for (let round = 0; round <= ROUNDS; round += 1) {
    const days = lookUp && (await answerOf(engine, { ...lookUp, settings: {}, role: 'owner' }))
    const createdDays = days?.data.map(([day]) => String(day))
    const { rows, statistics, ms } = await answerOf(engine, planOf(request, scope, createdDays))
    if (round > 0) times.push(ms + (days?.ms ?? 0))
    cost = { returned: rows, read: statistics.rows_read + (days?.statistics.rows_read ?? 0) }
  }
  return { ...cost, ms: median(times) }
}

async function answerOf(
  engine: Engine,
  { sql, parameters, settings }: Omit<EngineQuery, 'format'>,
): Promise<z.output<typeof answerSchema> & { readonly ms: number }> {
  const clause = settingsClause({ ...STREAMING_SETTINGS, ...settings, readonly: 0 })
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  // The engine adds statistics to a file, but not to a stream.
  const file = join(folder, 'answer.json')
  const startedAt = performance.now()
  await engine.execute(`${sql} INTO OUTFILE '${file}' FORMAT JSONCompact ${clause}`, parameters)
  const ms = performance.now() - startedAt
  const answer = answerSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  rmSync(folder, { recursive: true })
  return { ...answer, ms }
}

function compareReads({
  rows,
  parts,
  merchant,
  largest,
  manager,
  reseller,
}: Measured): Comparison[] {
  const size = `${rows.toLocaleString('en')} rows`
  const returned = (name: string, { read, returned: reference }: Cost): Comparison => ({
    name: `${name}, of ${size}`,
    unit: 'rows',
    ours: read,
    referenceName: 'rows returned',
    reference,
    ratio: read / reference,
  })
  const { created } = merchant
  const bound = 3 * created.returned + 2 * GRANULE * parts
  return [
    {
      name: `read for a merchant’s month by created, of ${size}`,
      unit: 'rows',
      ours: created.read,
      referenceName: `3 × rows returned + 2 granules for each of ${parts} part(s)`,
      reference: bound,
      ratio: created.read / bound,
      atMost: 1,
    },
    ...AXES.map((axis) => returned(`read for a merchant’s month by ${axis}`, merchant[axis])),
    ...AXES.map((axis) =>
      returned(`read for the largest merchant’s month by ${axis}`, largest[axis]),
    ),
    ...AXES.map((axis) => returned(`read for a manager’s month by ${axis}`, manager[axis])),
    returned('read for a reseller’s month by created', reseller),
  ]
}

/** Times for each returned row, because the merchants of two ledgers differ in size. */
function compareTimes(measured: readonly Measured[]): Comparison[] {
  const [smallest, ...others] = measured
  if (!smallest) return []
  const perRow = ({ ms, returned }: Cost): number => (ms * 1000) / returned
  return others.map(({ rows, merchant }) => ({
    name: `time of a merchant’s month by created, of ${rows.toLocaleString('en')} rows`,
    unit: 'µs/row',
    ours: perRow(merchant.created),
    referenceName: `of ${smallest.rows.toLocaleString('en')} rows`,
    reference: perRow(smallest.merchant.created),
    ratio: perRow(merchant.created) / perRow(smallest.merchant.created),
    atMost: 1.5,
  }))
}
