import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { SELECT_SETTINGS, type Settings, settingsClause } from '../../src/clickhouse/settings.ts'
import { tableFilters } from '../../src/clickhouse/table-filters.ts'
import { loadConfig } from '../../src/config/config.ts'
import { type Engine, readRows } from '../../src/engine/engine.ts'
import { openEngine } from '../../src/open-engine.ts'
import { parseEnvelope } from '../../src/report/envelope.ts'
import { readScope } from '../../src/report/scope.ts'
import type { Template } from '../../src/templates/template.ts'
import { catalogueSchema } from '../kit/catalogue-schemas.ts'
import { ask } from '../kit/ask.ts'
import { startClickHouse, type TestServer, USER } from '../kit/clickhouse-server.ts'
import { CLUSTER, copyToShards, startShards } from '../kit/clickhouse-shards.ts'
import { FORMAT_READERS, NO_CONTENT } from '../kit/format-readers.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { EVERY_REPORT, makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const CALLERS = ['operator', 'manager', 'reseller', 'merchant'] as const

let sandbox: Sandbox
let shards: readonly [TestServer, TestServer]
let embedded: RunningGateway
let sharded: RunningGateway
let cluster: object
/** A request that the gateway answers with a report. */
let firstExample: object = {}

const KEY = 'merchant_id, created_at, transaction_id'

beforeAll(async () => {
  shards = await startShards()
  sandbox = await makeSandbox(6000, EVERY_REPORT)
  embedded = await serve(sandbox)
  const passwordFile = join(sandbox.folder, 'clickhouse-password')
  writeFileSync(passwordFile, USER.password, { mode: 0o600 })
  cluster = {
    urls: shards.map(({ url }) => url),
    name: CLUSTER,
    user: USER.user,
    passwordFile,
  }
  sharded = await serve(sandbox, { engine: { cluster } })
  await copyToShards(embedded.engine, shards, sandbox.folder)
})
afterAll(async () => {
  await sharded.close()
  await embedded.close()
  for (const shard of shards) await shard.remove()
  sandbox.remove()
})

/** Opens the engine of the sharded ledger, with changes to its configuration. */
async function open(change: object): Promise<Engine> {
  const engine = { cluster: { ...cluster, ...change } }
  return await openEngine(loadConfig(await sandbox.writeConfig({ engine })))
}

/** Runs a query as the server's administrator. Returns how many rows the servers read. */
async function countRead(sql: string, settings: Settings = {}): Promise<number> {
  const url = `${shards[0].url}/?wait_end_of_query=1`
  // The view runs with the profile of the gateway's user, which would truncate the result (`clickhouse-server.ts`).
  const body = `${sql} ${settingsClause({ ...settings, limit: 0, offset: 0 })}`
  const response = await fetch(url, { method: 'POST', body })
  expect(response.status).toBe(200)
  const summary = z.object({ read_rows: z.coerce.number() })
  return summary.parse(JSON.parse(response.headers.get('x-clickhouse-summary') ?? '')).read_rows
}

test('each shard has the rows of some merchants', async () => {
  const sql = 'SELECT arraySort(groupUniqArray(merchant_id % 2)) FROM transactions_local'
  expect(await Promise.all(shards.map(({ run }) => run(sql)))).toEqual(['[0]\n', '[1]\n'])
})

test.each(CALLERS)(
  'every report of a %s has the same bytes as from the embedded engine',
  async (role) => {
    const login = sandbox.logins[role]
    const asked = { sandbox, reportUrl: `${sharded.reportUrl}/catalogue` }
    const { reports } = catalogueSchema.parse(JSON.parse((await ask(asked, login, {})).text))
    expect(reports.length).toBeGreaterThan(2)
    firstExample = reports[0]?.example ?? {}
    let rows = 0
    for (const { example } of reports) {
      const expected = await ask(embedded, login, example)
      const answer = await ask(sharded, login, example)
      expect([answer.status, answer.text]).toEqual([200, expected.text])
      expect(answer.trailers).toEqual(expected.trailers)
      rows += Number(answer.trailers['counterfoil-rows'])
    }
    expect(rows).toBeGreaterThan(100)
  },
)

test.each(['JSONL', 'PARQUET'] as const)(
  'every report as %s holds the same rows as from the embedded engine',
  async (reportFormat) => {
    const login = sandbox.logins.operator
    const asked = { sandbox, reportUrl: `${sharded.reportUrl}/catalogue` }
    const { reports } = catalogueSchema.parse(JSON.parse((await ask(asked, login, {})).text))
    const { read } = FORMAT_READERS[reportFormat]
    const having = reports.filter(({ formats }) => formats.includes(reportFormat))
    expect(having.length).toBeGreaterThan(2)
    for (const { example } of having) {
      const request = { ...example, reportFormat }
      const expected = await ask(embedded, login, request)
      const answer = await ask(sharded, login, request)
      expect(await read(answer.bytes, NO_CONTENT)).toEqual(await read(expected.bytes, NO_CONTENT))
      expect(answer.trailers['counterfoil-rows']).toBe(expected.trailers['counterfoil-rows'])
    }
  },
)

describe.each(['created', 'processed', 'settled', 'bank'])('a report by %s', (axis) => {
  test.each([
    ['dateFrom', '1900-01-01'],
    ['dateFrom', '1970-01-01'],
    ['dateFrom', '1970-01-02'],
    ['dateFrom', '1973-12-31'],
    ['dateFrom', '1974-01-01'],
    ['dateTo', '2285-12-31'],
    ['dateTo', '2286-11-21'],
    ['dateTo', '2299-12-31'],
  ])('has every row with the %s %s, as from the embedded engine', async (name, day) => {
    const inputReportParameters = [
      { name, type: 'INPUT_DATETIME', value: `${day} 00:00:00` },
      { name: 'dateAxis', type: 'INPUT_SELECT', value: axis },
    ]
    const request = { reportIdentifier: 'transactions-list', inputReportParameters }
    const login = sandbox.logins.operator
    const expected = await ask(embedded, login, request)
    const answer = await ask({ sandbox, reportUrl: sharded.reportUrl }, login, request)
    expect([answer.status, answer.text]).toEqual([200, expected.text])
    expect(Number(answer.trailers['counterfoil-rows'])).toBeGreaterThan(100)
  })
})

test('the first server merges the rows of the shards in the order of the key, without a sort', async () => {
  const lines = await readRows(sharded.engine, z.object({ explain: z.string() }), {
    sql: `SELECT explain FROM (EXPLAIN PIPELINE SELECT merchant_name FROM transactions
      WHERE created_at >= '2026-10-05' ORDER BY ${KEY})`,
    parameters: {},
    settings: { ...SELECT_SETTINGS, readonly: 2 },
  })
  const plan = lines.map(({ explain }) => explain).join('\n')
  expect(plan).toContain('MergingSortedTransform')
  expect(plan).not.toMatch(/PartialSorting|MergeSorting/)
})

test('the shards read only the granules of a condition', async () => {
  await shards[1].run(`INSERT INTO transactions_local (transaction_id, merchant_id, created_at)
    SELECT number, 997, '2026-10-01' FROM numbers(50000)`)
  expect(await countRead('SELECT max(order_id) FROM transactions')).toBeGreaterThan(50_000)
  const few = await countRead('SELECT max(order_id) FROM transactions WHERE merchant_id = 1')
  expect(few).toBeLessThan(10_000)
})

test('the shards send no rows of others to a report with a sub-select of IN', async () => {
  const template: Template = {
    identifier: 'planted',
    title: 'Planted',
    description: 'Never checked.',
    roles: ['merchant'],
    formats: ['CSV'],
    rows: 'transactions',
    currencies: 'currency',
    parameters: [],
    columns: [],
    order: [],
  }
  const { filters } = parseEnvelope(Buffer.from('{"reportIdentifier":"planted"}'))
  const { conditions } = await readScope(
    { role: 'merchant', sees: [1] },
    { template, tables: new Set(['transactions'] as const) },
    filters,
    sharded.engine,
    new AbortController().signal,
  )
  const countWith = async (names: readonly string[]): Promise<number> => {
    const chosen = [...conditions].filter(([name]) => names.includes(name))
    const named = chosen.map(([name, sql]) => [`default.${name}`, sql] as const)
    return await countRead(
      'SELECT max(order_id) FROM transactions WHERE order_id IN (SELECT order_id FROM transactions)',
      { ...tableFilters(named), allow_push_predicate_ast_for_distributed_subqueries: 0 },
    )
  }
  expect(await countWith(['transactions'])).toBeGreaterThan(50_000)
  expect(await countWith(['transactions', 'transactions_distributed'])).toBeLessThan(10_000)
})

test('a start keeps the rows and the views, and creates a view that is missing', async () => {
  const [{ run }] = shards
  const rows = 'SELECT count(), sum(row_version) FROM transactions_distributed'
  const views = "SELECT uuid FROM system.tables WHERE engine = 'View' ORDER BY name"
  const before = [await run(rows), await run(views)]
  await (await open({})).close()
  expect([await run(rows), await run(views)]).toEqual(before)
  await run('DROP VIEW statements')
  await (await open({})).close()
  expect(await run('SELECT count() > 0 FROM statements')).toBe('1\n')
})

test.each([
  ['a cluster that is unknown', 2, 'other', 'The cluster "other" has 0 servers'],
  ['a server missing in the list', 1, CLUSTER, 'List every server of the cluster'],
])('the gateway does not start with %s', async (_, count, name, reason) => {
  const urls = shards.slice(0, count).map(({ url }) => url)
  await expect(open({ name, urls })).rejects.toMatchObject({
    code: 'ledger',
    message: expect.stringContaining(reason),
  })
})

describe('a report that a shard is still sending', () => {
  const { signal } = new AbortController()
  const query = {
    sql: `SELECT merchant_data AS _row FROM transactions WHERE merchant_id = 999 ORDER BY ${KEY}`,
    parameters: {},
    settings: SELECT_SETTINGS,
    format: 'RawBLOB',
    role: 'report',
  } as const

  beforeAll(async () => {
    // Random text, so that the rows do not fit into the buffers between the servers.
    await shards[1].run(`INSERT INTO transactions_local (transaction_id, merchant_id, created_at, merchant_data)
      SELECT number, 999, '2026-10-01', randomPrintableASCII(2000) FROM numbers(100000)`)
  })

  test('ends on the shard when its reader leaves', async () => {
    const sql = "SELECT count() FROM system.processes WHERE user = 'counterfoil_shard'"
    const chunks = await sharded.engine.stream(query, signal)
    await chunks.next()
    expect(await shards[1].run(sql)).toBe('1\n')
    await chunks.return()
    await vi.waitFor(async () => expect(await shards[1].run(sql)).toBe('0\n'), 10_000)
  })

  test('is cut if the shard is killed, and later reports are refused', async () => {
    const chunks = await sharded.engine.stream(query, signal)
    const first = await chunks.next()
    expect(first.value?.bytes.length).toBeGreaterThan(0)
    await shards[1].kill()
    const rest = async (): Promise<void> => {
      for await (const _ of chunks);
    }
    await expect(rest()).rejects.toMatchObject({ code: 'engine-failed' })
    const busy = { code: 'engine-busy' }
    await expect(sharded.engine.stream(query, signal)).rejects.toMatchObject(busy)
    const asked = { sandbox, reportUrl: sharded.reportUrl }
    const answer = await ask(asked, sandbox.logins.operator, firstExample)
    expect(answer.status).toBe(503)
  })
})

test('a ledger that is not sharded stays as it is', async () => {
  const [server] = shards
  await server.run('DROP VIEW transactions')
  await server.run('CREATE TABLE transactions ENGINE = MergeTree ORDER BY () AS SELECT 1 AS row')
  await expect(open({ urls: [server.url] })).rejects.toMatchObject({
    code: 'ledger',
    message: expect.stringContaining('not sharded'),
  })
  expect(await server.run('SELECT count() FROM transactions')).toBe('1\n')
})

test('the gateway names a right that its user lacks', async () => {
  await shards[0].kill()
  const server = await startClickHouse()
  try {
    await expect(open({ urls: [server.url] })).rejects.toMatchObject({
      code: 'ledger',
      message: expect.stringContaining('system.clusters'),
    })
  } finally {
    await server.remove()
  }
})
