// @module-tag long

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRows } from '@counterfoil/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { openDemoLedger } from './demo-ledger.ts'
import { prepareDemoConfig } from './demo-settings.ts'

const ROWS = 1000

let dataDir: string
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'))
})
afterAll(() => rmSync(dataDir, { recursive: true }))

/** Opens the ledger as the demo does. Returns the number of its transactions and its marker. */
async function openLedger(): Promise<{ readonly count: number; readonly marker: string }> {
  const config = prepareDemoConfig({ port: 1, rows: ROWS, dataDir })
  const engine = await openDemoLedger(config, ROWS)
  const row = z.object({ count: z.coerce.number() })
  const sql = 'SELECT count() AS count FROM transactions'
  const [counted] = await readRows(engine, row, { sql, parameters: {} })
  await engine.close()
  return { count: counted?.count ?? 0, marker: readFileSync(join(dataDir, 'ledger.json'), 'utf8') }
}

test('makes the ledger again if its marker is incomplete', async () => {
  const expected = { count: ROWS, marker: expect.stringContaining('"seed":1') }
  expect(await openLedger()).toEqual(expected)
  for (const marker of ['', '{"rows":']) {
    writeFileSync(join(dataDir, 'ledger.json'), marker)
    expect(await openLedger()).toEqual(expected)
  }
})
