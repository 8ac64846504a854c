// @module-tag long

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FILTER_NAMES, type FilterName } from '@counterfoil/protocol'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { SELECT_SETTINGS } from '../../../engine/src/dialect/settings.ts'
import { type Queries, readRows } from '../../../engine/src/engine/engine.ts'
import { importFiles } from '../../../ledger/src/import/import-files.ts'
import { LedgerChanges } from '../../../ledger/src/changes/ledger-changes.ts'
import { readLedgerId } from '../../../ledger/src/model/migrate-ledger.ts'
import { type Catalogue, loadCatalogue } from '../../../templates/src/template/load-templates.ts'
import { csvOf, ledgerAccess, useImportKit, ownSource, transactionRow } from '../kit/import-kit.ts'
import { LIST, parameters } from '../kit/ask.ts'
import { insertInto } from '../kit/ledger-rows.ts'
import { runWithoutHttp } from '../kit/run-without-http.ts'

const REPORTS = join(import.meta.dirname, '../../../../reports')
const LIST_REPORTS = ['transactions-list', 'refunds-chargebacks', 'payouts-transfers'] as const
const VIEWER = { login: 'shop', role: 'merchant', sees: ['1'] } as const
const BEGINNING = '1970-01-01T00:00:00.000Z'

const kit = await useImportKit()
let catalogue: Catalogue
beforeAll(async () => {
  const reports = join(kit.folder, 'reports')
  mkdirSync(reports)
  for (const name of [...LIST_REPORTS, 'daily-totals']) {
    cpSync(join(REPORTS, `${name}.yaml`), join(reports, `${name}.yaml`))
  }
  catalogue = await loadCatalogue(reports, kit.engine)
})

let files = 0
async function importRows(...rows: readonly ReturnType<typeof transactionRow>[]): Promise<void> {
  await kit.importText(`rows-${(files += 1)}.csv`, csvOf(rows))
}

/** Inserts rows as an import does, without its checks. */
async function insertRows(...rows: readonly ReturnType<typeof transactionRow>[]): Promise<void> {
  for (const row of rows) await insertInto(kit.engine, [row], ['transactions'])
}

/** What a request selects, and who sends it. */
interface Selection {
  readonly report?: string
  readonly changes?: LedgerChanges
  readonly viewer?: Parameters<typeof runWithoutHttp>[1]
  readonly filters?: Readonly<Partial<Record<FilterName, readonly string[]>>>
  readonly more?: Readonly<Record<string, string>>
  readonly now?: number
}

/** Runs a report, and returns its cursor, the numbers of its transactions, and its lines by these numbers. */
async function run(changedSince: string | undefined, selection: Selection = {}) {
  const { report = 'transactions-list', viewer = VIEWER, filters = {}, more = {} } = selection
  const { changes: ledgerChanges = new LedgerChanges(), now = Date.now() } = selection
  const values = { ...more, ...(changedSince !== undefined && { changedSince }) }
  const request = { reportIdentifier: report, ...parameters(values), filters }
  const source = { engine: kit.engine, catalogue, now, ledgerChanges }
  const { text, cursor = '' } = await runWithoutHttp(source, viewer, request)
  const lines = new Map<number, string>()
  for (const line of text.split('\r\n')) {
    const [id] = /10000000000000\d{5}/.exec(line) ?? []
    if (id !== undefined) lines.set(Number(id.slice(-5)), line)
  }
  return { numbers: [...lines.keys()], lines, cursor }
}

test('a report shows what changed after the cursor, once', async () => {
  await importRows(transactionRow(1), transactionRow(2))
  const first = await run(undefined)
  expect(first.numbers).toEqual([1, 2])
  expect((await run(first.cursor)).numbers).toEqual([])
  expect((await run(BEGINNING)).numbers).toEqual([1, 2])
  const corrected = transactionRow(1, { row_version: '2', amount: '11.00' })
  // Row 2 is in the file again, and has not changed. Row 3 was created long ago.
  const late = transactionRow(3, { created_at: '2024-01-05 10:00:00.000' })
  await importRows(corrected, transactionRow(2), late)
  const second = await run(first.cursor)
  expect(second.numbers).toEqual([3, 1])
  expect((await run(second.cursor)).numbers).toEqual([])
  // An older version changes nothing.
  await importRows(transactionRow(1))
  expect((await run(second.cursor)).numbers).toEqual([])
})

// The merchant 3 belongs to the following tests alone.
const OWN = { login: 'own', role: 'merchant', sees: ['3'] } as const
const OPERATOR = { login: 'operator', role: 'operator', sees: [] } as const
const PERIOD = { dateFrom: '2026-10-02', dateTo: '2026-10-04' }

/** The selections that a later version of a transaction cannot leave. */
const KEPT: readonly Selection[] = [
  { viewer: OWN },
  { viewer: OWN, more: PERIOD },
  { viewer: OPERATOR, filters: { merchants: ['3'] }, more: PERIOD },
]

const FIRST = '/inputReportParameters/0'
/** The selections that a later version can leave, and what the error says. */
const LEFT: readonly (readonly [expected: string, pointer: string, Selection])[] = [
  ...FILTER_NAMES.filter((name) => name !== 'merchants').map((name) => {
    const filters = { [name]: [name === 'currencies' ? 'EUR' : '1'] }
    return ['no filter but merchants beside', `/filters/${name}`, { filters }] as const
  }),
  ['no statuses beside', FIRST, { more: { statuses: 'approved' } }],
  ['no types beside', FIRST, { more: { types: 'payout' } }],
  ...['processed', 'bank', 'settled'].map((dateAxis) => {
    return ['a period of created_at beside', FIRST, { more: { dateAxis, ...PERIOD } }] as const
  }),
  ...(['manager', 'reseller'] as const).map((role) => {
    const viewer = { login: role, role, sees: ['1'] }
    return [`no changedSince for the role ${role}`, FIRST, { viewer }] as const
  }),
]

/** Runs a report of `OWN`, unless the selection differs, at the time of processing. */
const ownRun = (selection: Selection, changedSince?: string) => {
  return run(changedSince, { viewer: OWN, now: PROCESSED_AT, ...selection })
}

test('a copy that follows the changes equals the report, whatever versions come', async () => {
  const types = ['sale', 'reversal', 'chargeback', 'payout']
  const number = fc.integer({ min: 0, max: 11 })
  const change = fc.record({
    status: fc.constantFrom('approved', 'declined', 'processing'),
    amount: fc.constantFrom('10.00', '20.00', '30.00'),
    currency: fc.constantFrom('EUR', 'USD'),
    gate_id: fc.constantFrom('1', '2'),
    manager_id: fc.constantFrom('1', '2'),
    bank_date: fc.constantFrom('2026-10-03', '2026-10-09'),
  })
  const changesOf = fc.array(fc.tuple(number, change), { minLength: 4, maxLength: 8 })
  const rounds = fc.array(changesOf, { minLength: 2, maxLength: 3 })
  let version = 0
  const rowsOf = (round: readonly (readonly [number, Record<string, string>])[]) => {
    return round.map(([at, changes]) => {
      return transactionRow(50_000 + at, {
        ...changes,
        merchant_id: '3',
        transaction_type: types[at % types.length],
        original_transaction_id: `10000000000000${50_000 + at - (at % types.length)}`,
        created_at: `2026-10-0${1 + (at % 4)} 10:00:00.000`,
        row_version: String((version += 1)),
      })
    })
  }
  const copies = LIST_REPORTS.flatMap((report) => KEPT.map((selection) => ({ report, selection })))
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const states = copies.map((copy) => {
        return { ...copy, cursor: BEGINNING, kept: new Map<number, string>() }
      })
      for (const versions of [...all, []]) {
        await insertRows(...rowsOf(versions))
        // The last run is after every change.
        if (versions.length === 0) await sleep(5)
        for (const state of states) {
          const asked = { ...state.selection, report: state.report }
          const { lines, cursor } = await ownRun(asked, state.cursor)
          for (const [id, line] of lines) state.kept.set(id, line)
          state.cursor = cursor
        }
      }
      for (const { report, selection, kept } of states) {
        const { lines } = await ownRun({ ...selection, report })
        expect([report, kept]).toEqual([report, lines])
      }
    }),
    { numRuns: 3, endOnFailure: true },
  )
})

test.each(LEFT)(
  'refuses changes of rows that can leave: %s at %s',
  async (expected, pointer, left) => {
    await expect(ownRun(left, BEGINNING)).rejects.toMatchObject({
      code: 'invalid-parameter',
      faults: [{ pointer, expected: expect.stringContaining(expected) }],
    })
  },
)

test('only a run whose changes can follow has a cursor', async () => {
  const manager = { login: 'manager', role: 'manager', sees: ['1'] } as const
  expect((await ownRun({ viewer: manager })).cursor).toBe('')
  expect((await ownRun({})).cursor).not.toBe('')
})

test('a report shows no change after its watermark, and the next report shows it', async () => {
  const { cursor } = await run(BEGINNING)
  const changes = new LedgerChanges()
  const close = changes.openWrite()
  await insertRows(transactionRow(21))
  const during = await run(cursor, { changes })
  expect(during.numbers).toEqual([])
  // An ordinary report shows the row, and its cursor is before the row.
  const ordinary = await run(undefined, { changes })
  expect(ordinary.numbers).toContain(21)
  close()
  for (const since of [during.cursor, ordinary.cursor]) {
    expect((await run(since, { changes })).numbers).toEqual([21])
  }
})

test('a cursor that is ahead of the watermark stays, within the lag', async () => {
  const ahead = new Date(Date.now() + 10_000).toISOString()
  expect(await run(ahead)).toMatchObject({ numbers: [], cursor: ahead })
})

test.each([
  ['2026-11-01', 'the cursor of an earlier run, such as'],
  ['2199-11-01T10:00:00.000Z', 'the cursor of an earlier run, got a time after the newest cursor'],
])('refuses the cursor %s, and says what is expected', async (cursor, expected) => {
  const text = expect.stringContaining(`for changedSince ${expected}`)
  await expect(run(cursor, { more: { dateFrom: '2026-10-01' } })).rejects.toMatchObject({
    code: 'invalid-parameter',
    faults: [{ pointer: '/inputReportParameters/1/value', expected: text }],
  })
})

test('a cursor names its ledger, and another ledger refuses it', async () => {
  const ledger = await readLedgerId(kit.engine)
  expect(ledger).toMatch(/^[\da-f]{12}$/)
  const clock = { now: Date.now, lagMs: 0 }
  const own = new LedgerChanges(() => {}, { ...clock, ledger })
  const { cursor } = await run(BEGINNING, { changes: own })
  expect(cursor).toMatch(new RegExp(`Z_${ledger}$`))
  expect((await run(cursor, { changes: own })).numbers).toEqual([])
  const other = new LedgerChanges(() => {}, { ...clock, ledger: '0123456789ab' })
  const server = new LedgerChanges(() => {}, clock)
  const foreign = [
    [cursor, other],
    [cursor, server],
    [cursor.slice(0, -13), own],
  ] as const
  for (const [since, changes] of foreign) {
    const expected = expect.stringContaining('or begin again with 1970-01-01T00:00:00.000Z')
    const refused = { code: 'invalid-parameter', faults: [{ expected }] }
    await expect(run(since, { changes })).rejects.toMatchObject(refused)
  }
})

test('a report without "changes" has neither the parameter nor a cursor', async () => {
  const more = { dateFrom: '2026-10-01', dateTo: '2026-10-02' }
  const report = 'daily-totals'
  expect((await run(undefined, { report, more })).cursor).toBe('')
  await expect(run(BEGINNING, { report, more })).rejects.toMatchObject({
    faults: [{ expected: expect.stringContaining("one of this report's parameters") }],
  })
})

const PROCESSED_AT = Date.UTC(2026, 9, 20)

/** A transaction that was created on a day and processed on 9 October. */
function rowOf(number: number, day: string): ReturnType<typeof transactionRow> {
  const processed = { processed_at: '2026-10-09 10:00:00.000' }
  return transactionRow(number, { created_at: `${day} 10:00:00.000`, ...processed })
}

// This report reads the days of creation first, and then the rows of these days.
const PROCESSED = {
  ...LIST,
  ...parameters({ dateAxis: 'processed', dateFrom: '2026-10-09', dateTo: '2026-10-10' }),
}

test('an import between the queries of a report makes the report read again', async () => {
  const ledgerChanges = new LedgerChanges()
  await insertRows(rowOf(41, '2026-10-01'))
  // One of these rows is on a day that the report knows already, and one is not.
  const file = join(kit.folder, 'second.csv')
  writeFileSync(file, csvOf([rowOf(42, '2026-10-01'), rowOf(43, '2026-10-02')]))
  const own = {
    files: [file],
    source: ownSource(),
    dataDir: kit.folder,
    refusedFile: join(kit.folder, 'refused.csv'),
  }
  let reports = 0
  const engine: Queries = {
    ...kit.engine,
    stream: async (query, signal, onPlanned) => {
      if (query.role === 'report') {
        reports += 1
        if (reports === 1) await importFiles(ledgerAccess(kit.engine, ledgerChanges), own)
      }
      return await kit.engine.stream(query, signal, onPlanned)
    },
  }
  const runAgain = () =>
    runWithoutHttp({ engine, catalogue, now: PROCESSED_AT, ledgerChanges }, VIEWER, PROCESSED)
  const { text, rows } = await runAgain()
  expect(rows).toBe(3)
  expect(reports).toBe(2)
  expect((await runAgain()).text).toBe(text)
})

test('a caller that leaves does not wait for the relay', async () => {
  const relayAccepted = () => new Promise<never>(() => {})
  const signal = AbortSignal.timeout(50)
  const source = { engine: kit.engine, catalogue, now: PROCESSED_AT, relayAccepted, signal }
  await expect(runWithoutHttp(source, VIEWER, PROCESSED)).rejects.toThrow('timeout')
})

test('a query for few changes reads few granules', async () => {
  await kit.engine.execute(`INSERT INTO transactions (transaction_id, merchant_id, created_at, updated_at, loaded_at)
    SELECT number, number % 50, '2026-09-01'::DateTime64(3) + number, '2026-09-01', '2026-09-01'::DateTime64(3)
    FROM numbers(60000)`)
  const lines = await readRows(kit.engine, z.object({ explain: z.string() }), {
    sql: `SELECT explain FROM (EXPLAIN indexes = 1 SELECT merchant_name FROM transactions
      WHERE loaded_at > '2026-09-01 00:00:01' AND loaded_at <= now64(3)
      ORDER BY merchant_id, created_at, transaction_id)`,
    settings: { ...SELECT_SETTINGS, readonly: 2 },
  })
  const plan = lines.map(({ explain }) => explain).join('\n')
  const [, left, all] = /loaded_at_range.*?Granules: (\d+)\/(\d+)/s.exec(plan) ?? []
  expect(Number(all)).toBeGreaterThan(25)
  expect(Number(left)).toBeLessThan(10)
})
