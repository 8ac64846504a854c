import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queries } from '../../src/engine/engine.ts'
import { importFiles } from '../../src/import/import-files.ts'
import { mappingSchema } from '../../src/import/mapping.ts'
import { LedgerChanges } from '../../src/ledger/ledger-changes.ts'
import { type Catalogue, loadCatalogue } from '../../src/templates/load-templates.ts'
import {
  csvOf,
  type ImportKit,
  ledgerAccess,
  openImportKit,
  transactionRow,
} from '../kit/import-kit.ts'
import { runWithoutHttp } from '../kit/run-without-http.ts'

const REPORTS = join(import.meta.dirname, '../../../../reports')
const NOW = Date.UTC(2026, 9, 20)
const VIEWER = { login: 'shop', role: 'merchant', sees: [1] } as const

let kit: ImportKit
let catalogue: Catalogue
beforeAll(async () => {
  kit = await openImportKit()
  const reports = join(kit.folder, 'reports')
  mkdirSync(reports)
  cpSync(join(REPORTS, 'transactions-list.yaml'), join(reports, 'transactions-list.yaml'))
  catalogue = await loadCatalogue(reports, kit.engine)
  await kit.importText('first.csv', csvOf([rowOf(1, '2026-10-01')]))
})
afterAll(() => kit.close())

/** A transaction that was created on a day and processed on 9 October. */
function rowOf(number: number, day: string): ReturnType<typeof transactionRow> {
  const processed = { processed_at: '2026-10-09 10:00:00.000' }
  return transactionRow(number, { created_at: `${day} 10:00:00.000`, ...processed })
}

// This report reads the days of creation first, and then the rows of these days.
const REQUEST = {
  reportIdentifier: 'transactions-list',
  inputReportParameters: [
    { type: 'INPUT_SELECT', name: 'dateAxis', value: 'processed' },
    { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-10-09' },
    { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-10-10' },
  ],
} as const

test('an import between the queries of a report makes the report read again', async () => {
  const ledgerChanges = new LedgerChanges()
  // One of these rows is on a day that the report knows already, and one is not.
  const file = join(kit.folder, 'second.csv')
  writeFileSync(file, csvOf([rowOf(2, '2026-10-01'), rowOf(3, '2026-10-02')]))
  let reports = 0
  const engine: Queries = {
    ...kit.engine,
    stream: async (query, signal, onPlanned) => {
      if (query.role === 'report') {
        reports += 1
        if (reports === 1) await importAll(ledgerChanges, file)
      }
      return await kit.engine.stream(query, signal, onPlanned)
    },
  }
  const run = () => runWithoutHttp({ engine, catalogue, now: NOW, ledgerChanges }, VIEWER, REQUEST)
  const { text, rows } = await run()
  expect(rows).toBe(3)
  expect(reports).toBe(2)
  expect((await run()).text).toBe(text)
})

test('a caller that leaves does not wait for the relay', async () => {
  const leaving = new AbortController()
  const { signal } = leaving
  const { engine } = kit
  const relayAccepted = () => new Promise<never>(() => {})
  const run = runWithoutHttp(
    { engine, catalogue, now: NOW, relayAccepted, signal },
    VIEWER,
    REQUEST,
  )
  leaving.abort(new Error('gone'))
  await expect(run).rejects.toThrow('gone')
})

async function importAll(changes: LedgerChanges, file: string): Promise<void> {
  await importFiles(ledgerAccess(kit.engine.background, kit.folder, changes), {
    files: [file],
    table: 'transactions',
    mapping: mappingSchema('transactions').parse({}),
    folder: join(kit.folder, 'import'),
    refusedFile: join(kit.folder, 'refused.csv'),
  })
}
