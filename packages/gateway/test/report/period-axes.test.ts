// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readYaml } from '../../../common/src/read-yaml.ts'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { importFiles } from '../../../ledger/src/import/import-files.ts'
import type { JudgedRows } from '../../../ledger/src/import/judge-rows.ts'
import { createdDaysQuery } from '../../src/report/created-days.ts'
import { templateSchema } from '../../../templates/src/template/template.ts'
import { type Inputs, isAsked, LATEST, latest } from '../oracles/ledger-sql.ts'
import { csvOf, type FileRow, ownSource, transactionRow, ledgerAccess } from '../kit/import-kit.ts'
import { insertInto } from '../kit/ledger-rows.ts'
import { askReport, readTexts } from '../oracles/reports-kit.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const AXES = ['created', 'processed', 'bank', 'settled'] as const
const DAY_MS = 86_400_000
const FIRST = Date.UTC(2025, 0, 1)
const DAYS = 500
/** The number of the first random row. */
const MADE_UP = 1000

const at = (day: string, clock = '12:00:00.000') => `${day} ${clock}`
const instant = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '')
const dates = (day: string, clock?: string) => {
  return { processed_at: at(day, clock), bank_date: day, settled_at: at(day, clock) }
}

// Rows from before the last migration of the ledger.
const EARLIER_ROWS = [
  // Settled years after its creation.
  transactionRow(1, { created_at: at('2021-01-15'), ...dates('2025-05-10') }),
  // Created in the last moment of a month. All other dates are in the first moment of the next.
  transactionRow(2, {
    created_at: at('2025-05-31', '23:59:59.999'),
    ...dates('2025-06-01', '00:00:00.000'),
  }),
  // Never processed.
  transactionRow(3, { created_at: at('2025-05-01', '00:00:00.000') }),
  // Settled by a later version only.
  transactionRow(4, { created_at: at('2025-02-11') }),
  // A later version moves it out of the month.
  transactionRow(5, { created_at: at('2025-03-01'), ...dates('2025-05-05') }),
]
const LATER_ROWS = [
  transactionRow(4, { row_version: '2', created_at: at('2025-02-11'), ...dates('2025-05-03') }),
  transactionRow(5, { row_version: '2', created_at: at('2025-03-01'), ...dates('2025-08-05') }),
  // The older version arrives after the newer one.
  transactionRow(6, { row_version: '2', created_at: at('2025-03-09'), ...dates('2025-05-07') }),
  transactionRow(6, { created_at: at('2025-03-09'), ...dates('2025-04-07') }),
  // Processed before its creation, because clocks differ.
  transactionRow(7, { created_at: at('2025-07-01'), ...dates('2025-05-02') }),
  // The first and the last date of the engine.
  transactionRow(8, { created_at: at('1900-01-01', '00:00:00.000'), ...dates('2299-12-30') }),
]
const IMPORTED_ROWS = [
  // In a month of years ago.
  transactionRow(9, { created_at: at('2019-02-03'), ...dates('2025-05-20') }),
  // Refused, because its content differs from the ledger's. The import removes it from the rows around it.
  transactionRow(1, { created_at: at('2021-01-15'), ...dates('2025-07-10') }),
  transactionRow(10, { created_at: at('2021-01-16'), ...dates('2025-05-30') }),
]

/** Yields pseudo-random numbers below 1, the same in every run. */
function* numbers(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (state * 48_271) % 0x7fffffff
    yield state / 0x7fffffff
  }
}

/** Makes random rows of six merchants, with up to three versions each. Most are soon final, some late, some never. */
function madeUpRows(count: number): readonly FileRow[] {
  const random = numbers()
  const draw = () => random.next().value
  const later = (ms: number) => ms + Math.round(3 * DAY_MS * draw() + 700 * DAY_MS * draw() ** 20)
  return Array.from({ length: count }, (_, index) => {
    const created = FIRST + Math.floor(DAYS * DAY_MS * draw())
    const merchant_id = String(1 + Math.floor(6 * draw()))
    return Array.from({ length: 1 + Math.floor(3 * draw()) }, (__, version) => {
      const settled = later(created)
      const change: Record<string, string> = { merchant_id, row_version: String(version + 1) }
      if (draw() < 0.9) change['processed_at'] = instant(later(created))
      if (draw() < 0.7) change['bank_date'] = instant(settled).slice(0, 10)
      if (draw() < 0.7) change['settled_at'] = instant(settled)
      return transactionRow(MADE_UP + index, { created_at: instant(created), ...change })
    })
  }).flat()
}

const insert = (rows: readonly FileRow[]) => insertInto(gateway.engine, rows, ['transactions'])

const madeUp = madeUpRows(900)
const third = madeUp.length / 3
const { sandbox, gateway } = await serveSandbox([0])
let imported: JudgedRows
beforeAll(async () => {
  const { engine } = gateway
  await insert([...EARLIER_ROWS, ...madeUp.slice(0, third)])
  await insert([...LATER_ROWS, ...madeUp.slice(third, 2 * third)])
  await engine.execute('OPTIMIZE TABLE transactions FINAL')
  await insert(madeUp.slice(2 * third))
  await engine.execute("INSERT INTO currencies VALUES ('EUR', 2)")
  const file = join(sandbox.folder, 'rows.csv')
  writeFileSync(file, csvOf(IMPORTED_ROWS))
  imported = await importFiles(ledgerAccess(engine), {
    files: [file],
    source: ownSource(),
    dataDir: sandbox.folder,
    refusedFile: join(sandbox.folder, 'refused.csv'),
  })
})

const monthsOf = (year: number): readonly Inputs[] => {
  const first = (month: number) => new Date(Date.UTC(year, month)).toISOString().slice(0, 10)
  return Array.from({ length: 12 }, (_, month) => {
    return { dateFrom: first(month), dateTo: first(month + 1) }
  })
}
const PERIODS: readonly Inputs[] = [
  ...monthsOf(2025),
  { dateFrom: '2025-06-01', dateTo: '2025-06-02', timezone: 'America/New_York' },
  { dateFrom: '2025-05-31', dateTo: '2025-06-01', timezone: 'Pacific/Apia' },
  { dateFrom: '2025-03-30', dateTo: '2025-03-31', timezone: 'Europe/Berlin' },
  { dateFrom: '2025-11-02', dateTo: '2025-11-03', timezone: 'America/New_York' },
  { dateFrom: '2026-05-01' },
  { dateTo: '2025-02-01' },
  { dateFrom: '1950-01-01', dateTo: '1951-01-01' },
  {},
]

describe.each(AXES)('by %s', (dateAxis) => {
  test.each(PERIODS)('reports exactly the rows of %o', async (period) => {
    const inputs = { ...period, dateAxis }
    for (const login of [sandbox.logins.operator, sandbox.logins.merchant]) {
      const wanted = { inputs, columns: ['Transaction_id'] }
      const { rows } = await askReport({ gateway }, login, 'transactions-list', wanted)
      const expected = await readTexts(
        gateway,
        `SELECT transaction_id AS Transaction_id FROM ${latest(login)} WHERE ${isAsked(inputs)}
        ORDER BY merchant_id, created_at, transaction_id`,
      )
      expect(rows).toEqual(expected)
    }
  })
})

test('counts the same rows in the totals of a report', async () => {
  const inputs = { dateFrom: '2025-05-01', dateTo: '2025-06-01', dateAxis: 'settled' }
  const wanted = { inputs, configuration: { totals: 'only' } }
  const { operator } = sandbox.logins
  const { rows } = await askReport({ gateway }, operator, 'transactions-list', wanted)
  const sql = `SELECT count() AS Rows FROM ${LATEST} WHERE ${isAsked(inputs)}`
  const [count] = await readTexts(gateway, sql)
  expect(Number(count?.['Rows'])).toBeGreaterThan(20)
  expect(rows).toEqual([expect.objectContaining(count)])
})

test('finds days by the projection of each part, whatever wrote the part', async () => {
  expect(imported).toMatchObject({ taken: 2, refused: 1 })
  const { engine } = gateway
  const sql = `SELECT count() AS parts, countIf(NOT has(projections, 'dates_by_day')) AS without
    FROM system.parts WHERE active AND database = 'default' AND table = 'transactions'`
  const counts = z.object({ parts: z.coerce.number(), without: z.coerce.number() })
  const [count] = await readRows(engine, counts, sql)
  expect(count?.parts).toBeGreaterThan(20)
  expect(count?.without).toBe(0)
  const { value: template } = readYaml(
    join(sandbox.reports, 'transactions-list.yaml'),
    templateSchema,
  )
  for (const dateAxis of AXES.slice(1)) {
    const input = { dateFrom: '2025-05-01 00:00:00.000', timezone: 'UTC', dateAxis }
    const query = createdDaysQuery(template, input)
    if (!query) throw new Error(`expected days to be looked up by ${dateAxis}`)
    // The setting makes the query fail if the engine has to read rows.
    const settings = { force_optimize_projection: 1 }
    expect(await readRows(engine, z.unknown(), { ...query, settings })).not.toEqual([])
  }
})
