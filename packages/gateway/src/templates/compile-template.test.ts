import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { openEmbeddedEngine } from '../engine/embedded.ts'
import { type Engine, readRows } from '../engine/engine.ts'
import { createLedger } from '../ledger/schema.ts'
import { type ColumnKind, printed } from './column-kinds.ts'
import { compileTemplate, formatSelect } from './compile-template.ts'
import { loadCatalogue } from './load-templates.ts'
import type { Template } from './template.ts'

const REPORTS = join(import.meta.dirname, '../../../../reports')

let directory: string
let engine: Engine
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  engine = openEmbeddedEngine({
    directory,
    sessions: 1,
    queueLength: 4,
    queueWaitMs: 5_000,
    querySeconds: 60,
    queryBytesMax: 1024 ** 3,
    engineBytesMax: 2 * 1024 ** 3,
  })
  await createLedger(engine)
})
afterAll(async () => {
  await engine.close()
  rmSync(directory, { recursive: true })
})

describe('a column is printed as its kind says', () => {
  test.each<[ColumnKind, sql: string, text: string]>([
    ['text', '\'a "b"\'', 'a "b"'],
    ['text', 'CAST(NULL AS Nullable(String))', ''],
    ['text', "toLowCardinality('sale')", 'sale'],
    ['id', 'toInt64(9223372036854775807)', '9223372036854775807'],
    ['money', "toDecimal64('1234567.5', 4)", '1234567.500'],
    ['money', "toDecimal64('-0.01', 4)", '-0.010'],
    ['money', "toDecimal128('99999999999999999.999', 4)", '99999999999999999.999'],
    ['money', 'CAST(NULL AS Nullable(Decimal(20, 4)))', ''],
    ['integer', '42', '42'],
    ['ratio', "toDecimal64('0.5', 8)", '0.5000'],
    ['date', "toDate32('2026-01-31')", '31.01.2026'],
    ['date', 'CAST(NULL AS Nullable(Date32))', ''],
    ['time', "toDateTime64('2026-07-31 22:30:59.999', 3, 'UTC')", '2026-08-01 00:30:59'],
    ['time', "CAST(NULL AS Nullable(DateTime64(3, 'UTC')))", ''],
  ])('%s: %s', async (kind, sql, text) => {
    const parameters = { timezone: 'Europe/Berlin' }
    const query = { sql: `SELECT ${printed(kind, sql)} AS text`, parameters }
    expect(await readRows(engine, z.object({ text: z.string() }), query)).toEqual([{ text }])
  })
})

const TEMPLATE: Template = {
  identifier: 'x',
  title: 'X',
  description: 'X',
  roles: ['operator'],
  formats: ['CSV'],
  from: 'transactions',
  condition: 'amount > 0',
  parameters: [
    {
      name: 'a',
      title: 'A',
      type: 'INPUT_TEXT',
      required: false,
      list: false,
      condition: 'x = {a:String} OR 1',
    },
    { name: 'b', title: 'B', type: 'INPUT_TEXT', required: false, list: false },
  ],
  columns: [{ name: 'Of two words', kind: 'id', sql: 'order_id' }],
  order: ['merchant_id', 'created_at'],
}

test('a report is one SELECT over the latest versions, each condition for itself', () => {
  expect(formatSelect(compileTemplate(TEMPLATE, () => true))).toBe(`SELECT
  ifNull(toString(order_id), '') AS \`Of two words\`
FROM transactions FINAL
WHERE (amount > 0)
  AND (x = {a:String} OR 1)
ORDER BY merchant_id, created_at`)
  const { conditions } = compileTemplate(TEMPLATE, () => false)
  expect(conditions).toEqual(['(amount > 0)'])
})

test('every report of the repository is loaded, with the time zones of the engine', async () => {
  const { templates, timezones } = await loadCatalogue(REPORTS, engine)
  expect(templates.get('transactions-list')?.columns).toHaveLength(9)
  expect([...timezones]).toEqual(
    expect.arrayContaining(['UTC', 'Europe/Berlin', 'America/New_York']),
  )
  for (const timezone of timezones) {
    expect(() => new Intl.DateTimeFormat('en', { timeZone: timezone })).not.toThrow()
  }
})
