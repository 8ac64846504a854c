// @module-tag long

import { FILTER_NAMES } from '@counterfoil/protocol'
import { beforeAll, describe, expect, test } from 'vitest'
import type { LedgerTable } from '../../../ledger/src/model/model.ts'
import type { Catalogue } from '../../../templates/src/template/load-templates.ts'
import type { Template } from '../../../templates/src/template/template.ts'
import { runWithoutHttp } from '../kit/run-without-http.ts'
import { useScratchLedger } from '../kit/scratch-ledger.ts'

/*
 * What the engine refuses on its own when a report file was never checked. Only `check` refuses the following, so they
 * are not here: merge(), mergeTreeIndex(), SETTINGS in a sub-select, dictGet(), system tables, getSetting(), the
 * function file() (not the table function), INTO OUTFILE, and a table under another table's name.
 */

const SECRET = /SECRET/
const OWN = 'OWN'
const NOW = Date.UTC(2026, 0, 31)

const ledger = await useScratchLedger()
beforeAll(async () => {
  const { fill } = ledger
  // Two merchants of one company and one manager. Rows of the second merchant have the name SECRET.
  const ownOrSecret = "if(number = 1, 'OWN', 'SECRET')"
  await fill(`INSERT INTO merchants (merchant_id, name, login, company_id, manager_id)
    SELECT number, ${ownOrSecret}, ${ownOrSecret}, 1, 1 FROM numbers(1, 2)`)
  await fill(`INSERT INTO companies (company_id, name) VALUES (1, 'OWN'), (2, 'SECRET')`)
  await fill(`INSERT INTO projects SELECT number, ${ownOrSecret}, number FROM numbers(1, 2)`)
  await fill(`INSERT INTO gates SELECT number, ${ownOrSecret}, number, 'EUR' FROM numbers(1, 2)`)
  await fill(`INSERT INTO processors SELECT number, ${ownOrSecret} FROM numbers(1, 2)`)
  await fill(`INSERT INTO endpoints
    SELECT number, ${ownOrSecret}, number, number, 'EUR' FROM numbers(1, 2)`)
  await fill(`INSERT INTO statements (statement_id, merchant_id, currency, business_day, company_id, manager_id)
    SELECT number, number, ${ownOrSecret}, '2026-01-01', 1, 1 FROM numbers(1, 2)`)
  const columns =
    'transaction_id, merchant_id, manager_id, client_order_id, created_at, row_version'
  const moment = "toDateTime64('2026-01-01', 3, 'UTC')"
  await fill(`INSERT INTO transactions (${columns})
    SELECT number, number, 1, ${ownOrSecret}, ${moment}, 1 FROM numbers(1, 2)`)
  // An older version of the transaction, with the same key, has another merchant’s order id.
  await fill(`INSERT INTO transactions (${columns}) VALUES
    (3, 1, 1, 'SECRET before', '2026-01-02', 1)`)
  await fill(`INSERT INTO transactions (${columns}) VALUES (3, 1, 1, 'OWN', '2026-01-02', 2)`)
  await fill('SYSTEM RELOAD DICTIONARIES')
})

/** Requests an unchecked report as the first merchant. */
async function run({
  sql = OWN,
  ...planted
}: Partial<Template> & { sql?: string }): Promise<string> {
  const { engine } = ledger
  const column = { name: 'Text', kind: 'text', about: 'planted', optional: false, sql } as const
  const template: Template = {
    identifier: 'planted',
    title: 'Planted',
    description: 'Never checked.',
    roles: ['merchant'],
    formats: ['CSV'],
    rows: 'transactions',
    currencies: 'currency',
    parameters: [],
    columns: [column],
    order: ["'x'"],
    ...planted,
  }
  const tables = new Set<LedgerTable>(['transactions', 'statements', ...FILTER_NAMES])
  const catalogue: Catalogue = {
    reports: new Map([[template.identifier, { template, tables }]]),
    timezones: new Set(['UTC']),
  }
  const viewer = { login: 'own', role: 'merchant', sees: ['1'] } as const
  const request = { reportIdentifier: template.identifier }
  return (await runWithoutHttp({ engine, catalogue, now: NOW }, viewer, request)).text
}

describe('the scope applies below everything that a report reads of the ledger', () => {
  test.each<Partial<Template> & { sql?: string }>([
    { sql: 'client_order_id' },
    { sql: "concat(merchant_name, ' ', manager_name)" },
    { sql: "arrayStringConcat((SELECT groupArray(name) FROM merchants), ' ')" },
    { condition: '1) OR (1', sql: 'client_order_id' },
    {
      order: ["'x') UNION ALL SELECT client_order_id FROM transactions ORDER BY ('x'"],
      sql: 'client_order_id',
    },
    ...[
      'SELECT client_order_id AS c FROM transactions',
      'SELECT client_order_id AS c FROM default.transactions FINAL',
      `SELECT 'OWN' AS c UNION ALL SELECT client_order_id FROM transactions
        UNION ALL (SELECT name FROM merchants EXCEPT SELECT 'OWN')`,
      `SELECT o.client_order_id AS c FROM transactions AS t
        JOIN transactions AS o ON o.manager_id = t.manager_id`,
      'WITH all AS (SELECT client_order_id AS c FROM transactions) SELECT c FROM all',
      'SELECT * FROM view(SELECT client_order_id AS c FROM transactions)',
      `SELECT 'OWN' || ifNull((SELECT max(m.login) FROM merchants AS m
        WHERE m.company_id != t.transaction_id || '9'), '') AS c FROM transactions AS t`,
      'SELECT * FROM (SELECT client_order_id AS c FROM transactions) AS companies',
      "SELECT concat(name, ' ', login) AS c FROM merchants",
      'SELECT currency AS c FROM statements',
      ...['gates', 'processors', 'projects', 'endpoints', 'companies'].map(
        (table) => `SELECT name AS c FROM ${table}`,
      ),
      "SELECT client_order_id AS c FROM transactions PREWHERE client_order_id != ''",
    ].map((from) => ({ from, sql: 'c' })),
  ])('%j', async (planted) => {
    const text = await run(planted)
    expect(text).toContain(OWN)
    expect(text).not.toMatch(SECRET)
  })

  test.each(['client_order_id', 'merchant_id'])(
    'a filter by %s counts only own rows',
    async (column) => {
      const from = `SELECT toString(count()) AS c FROM transactions WHERE ${column} IN (SELECT ${column} FROM transactions)`
      expect(await run({ from, sql: 'c' })).toBe('"Text"\r\n"2"\r\n')
    },
  )
})

describe('the engine refuses a report', () => {
  test.each([
    "SELECT line AS c FROM file('/etc/passwd', LineAsString)",
    "SELECT c FROM url('http://127.0.0.1:9/', CSV, 'c String')",
    "SELECT client_order_id AS c FROM remote('127.0.0.1', default.transactions)",
    "SELECT name AS c FROM dictionary('merchant_names')",
    "SELECT c FROM executable('sh', CSV, 'c String')",
    "SELECT c FROM sqlite('/tmp/x.db', 'c')",
    'SELECT client_order_id AS c FROM loop(transactions)',
    'SELECT name AS c FROM merchant_names',
    'SELECT name AS c FROM default.merchant_names',
    'SELECT toString(version) AS c FROM ledger_versions',
    'SELECT toString(version) AS c FROM ledger_versions SETTINGS readonly = 0',
    "SELECT 'x' AS c WHERE (1, 'OWN') IN merchant_names",
    "WITH merchant_names AS names SELECT 'x' AS c WHERE (1, 'OWN') IN names",
    'WITH merchant_names AS (SELECT 1) SELECT name AS c FROM default.merchant_names',
    'SELECT toString(`t x`._part_offset) AS c FROM transactions AS `t x`',
    "SELECT client_order_id AS c FROM transactions WHERE _part != ''",
    'SELECT toString(_block_number) AS c FROM merchants',
  ])('%s', async (from) => {
    await expect(run({ from, sql: 'c' })).rejects.toMatchObject({
      code: 'engine-failed',
      cause: { message: expect.stringContaining('Not enough privileges') },
    })
  })

  test('a second statement', async () => {
    const from = 'SELECT 1 AS c) ORDER BY c; DROP TABLE transactions --'
    await expect(run({ from, sql: 'c' })).rejects.toMatchObject({ code: 'engine-failed' })
    expect(await run({ sql: 'client_order_id' })).toContain(OWN)
  })
})
