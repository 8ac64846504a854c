// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { type EngineQuery, readRows } from '../../../engine/src/engine/engine.ts'
import { type Answer, ask, parameters } from '../kit/ask.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const ROWS = 300_000
const LONG = 1_000_000

const MODES = [
  'distinct_overflow_mode group_by_overflow_mode join_overflow_mode',
  'read_overflow_mode result_overflow_mode set_overflow_mode sort_overflow_mode',
  'timeout_overflow_mode transfer_overflow_mode',
].flatMap((line) => line.split(' '))
const MAXIMA = [
  'max_bytes_in_join max_bytes_to_read max_result_bytes max_result_rows',
  'max_rows_in_distinct max_rows_in_join max_rows_in_set max_rows_to_group_by',
  'max_rows_to_read max_rows_to_sort max_rows_to_transfer',
].flatMap((line) => line.split(' '))
const OTHERS = {
  additional_result_filter: '',
  empty_result_for_aggregation_by_empty_set: '0',
  extremes: '0',
  limit: '0',
  max_execution_time: '1800',
  max_memory_usage: String(1024 ** 3),
  max_partitions_to_read: '-1',
  max_query_size: String(4 * 1024 ** 2),
  offset: '0',
}

const REPORTS = {
  groups: `group: [client_order_id]
columns:
  - {name: Order, kind: text, sql: client_order_id, about: a group}
  - {name: Count, kind: integer, sql: count(), about: its rows}
order: [client_order_id]
totals: {by: [Order], columns: [Count]}
`,
  tangled: `from: |
  SELECT DISTINCT one.transaction_id AS id, other.client_order_id AS name,
    row_number() OVER (ORDER BY length(one.transaction_id), one.transaction_id) AS place, uniqExact(one.order_id) OVER () AS all
  FROM transactions AS one INNER JOIN transactions AS other ON other.transaction_id = one.transaction_id
  WHERE one.transaction_id IN (SELECT transaction_id FROM transactions)
columns:
  - {name: Id, kind: id, sql: id, about: of one side}
  - {name: Name, kind: text, sql: name, about: of the other}
  - {name: Place, kind: integer, sql: place, about: by a window}
  - {name: All, kind: integer, sql: all, about: how many there are}
order: [name DESC]
`,
  'long-fields': `condition: transaction_id = '1'
columns:
  - {name: Text, kind: text, sql: "repeat('é', toInt64(transaction_id) * ${LONG})", about: a text}
  - {name: Quotes, kind: text, sql: "repeat('\\"', toInt64(transaction_id) * ${LONG})", about: quotes}
  - {name: Array, kind: text, sql: "range(toInt64(transaction_id) * ${LONG})", about: an array}
  - {name: Joined, kind: text, sql: "arrayStringConcat(range(toInt64(transaction_id) * ${LONG}), ';')", about: another}
order: [transaction_id]
`,
} as const

const { sandbox, gateway } = await serveSandbox([0], ({ reports }) => {
  for (const [identifier, rest] of Object.entries(REPORTS)) {
    const head = `identifier: ${identifier}\ntitle: T\ndescription: D\nroles: [operator, merchant]\nformats: [CSV]\n`
    writeFileSync(join(reports, `${identifier}.yaml`), head + rest)
  }
  return {}
})
beforeAll(async () => {
  await gateway.engine.execute(`INSERT INTO transactions (transaction_id, order_id, client_order_id, transaction_type,
    status, created_at, updated_at, row_version, amount, currency, gate_id, company_id, project_id, endpoint_id,
    merchant_id, processor_id, manager_id)
    SELECT number + 1, number + 1, 'order ' || leftPad(toString(number + 1), 6, '0'), 'sale', 'approved',
      toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(number) AS at, at, 1, 1.5, 'EUR', 1, 1, 1, 1, 1, 1, 1
    FROM numbers(${ROWS})`)
  await gateway.engine.execute(
    "INSERT INTO merchants (merchant_id, name, login, company_id, manager_id, timezone, mcc) VALUES (1, 's', 's', 1, 1, 'UTC', '5999')",
  )
})

async function askFor(reportIdentifier: string, more: object = {}): Promise<Answer> {
  const answer = await ask(gateway, sandbox.logins.merchant, { reportIdentifier, ...more })
  expect(answer.headers['content-type']).toMatch(/^text\/csv/)
  expect(answer.trailers).toHaveProperty('repr-digest')
  return answer
}

/** Makes a report with a line for each number up to `ROWS`. */
function expectedText(head: string, lineOf: (number: number) => string): string {
  const lines = Array.from({ length: ROWS }, (_, index) => lineOf(index + 1))
  return `${[head, ...lines].join('\r\n')}\r\n`
}

const orderOf = (number: number) => `order ${String(number).padStart(6, '0')}`

describe(`a result of ${ROWS} rows`, () => {
  test.each<[of: string, report: string, totals: string, expected: string]>([
    [
      'groups',
      'groups',
      'off',
      expectedText('"Order","Count"', (number) => `"${orderOf(number)}","1"`),
    ],
    [
      'totals',
      'groups',
      'only',
      expectedText('"Order","Rows","Count"', (number) => `"${orderOf(number)}","1","1"`),
    ],
    [
      'a join, a set, windows, DISTINCT and a sort',
      'tangled',
      'off',
      expectedText('"Id","Name","Place","All"', (number) => {
        const id = ROWS + 1 - number
        return `"${id}","${orderOf(id)}","${id}","${ROWS}"`
      }),
    ],
  ])('of %s is complete', async (_, report, totals, expected) => {
    const { text, trailers } = await askFor(report, parameters({}, { totals }))
    // `toBe` would print a difference of megabytes.
    expect(text === expected).toBe(true)
    expect(trailers['counterfoil-rows']).toBe(String(ROWS))
  })
})

test.each(['all', 'minimal'])(
  'writes fields of millions of characters completely, with %s quotes',
  async (quote) => {
    const numbers = Array.from({ length: LONG }, (_, number) => number)
    const fields = [
      'é'.repeat(LONG),
      `"${'""'.repeat(LONG)}"`,
      `"[${numbers.join(',')}]"`,
      numbers.join(';'),
    ]
    const quoted = fields.map((field) =>
      quote === 'minimal' || field.startsWith('"') ? field : `"${field}"`,
    )
    const { text } = await askFor('long-fields', parameters({}, { quote, header: 'off' }))
    expect(text === `${quoted.join(',')}\r\n`).toBe(true)
  },
)

describe('every setting that could truncate a result', () => {
  const row = z.object({ name: z.string(), value: z.string() })

  /** Reads the effective values of some settings in a query. */
  async function effective({ settings }: EngineQuery, where: string) {
    const sql = `SELECT name, value FROM system.settings WHERE ${where}`
    const rows = await readRows(gateway.engine, row, { sql, parameters: {}, settings })
    return new Map(rows.map(({ name, value }) => [name, value]))
  }

  test('is off for a report and for its look-up, in any version of the engine', async () => {
    const stream = vi.spyOn(gateway.engine, 'stream')
    await askFor('groups', { filters: { merchants: [1] } })
    const queries = stream.mock.calls.map(([query]) => query)
    stream.mockRestore()
    // The gateway's own queries, such as those of its metrics, may run at the same time.
    const reports = queries.filter(({ role }) => role === 'report')
    const lookUps = queries.filter(({ settings }) => settings['join_use_nulls'] === 1)
    expect([reports.length, lookUps.length]).toEqual([1, 1])
    for (const query of [...reports, ...lookUps]) {
      const modes = await effective(query, "match(name, '_overflow_mode(_leaf)?$')")
      expect([...modes.keys()]).toEqual(expect.arrayContaining(MODES))
      expect(new Set(modes.values())).toEqual(new Set(['throw']))

      const maxima = await effective(
        query,
        "match(name, '^max_(rows|bytes|columns|result|temporary)_(in|to|rows|bytes|columns)')",
      )
      expect([...maxima.keys()]).toEqual(expect.arrayContaining(MAXIMA))
      expect(new Set(maxima.values())).toEqual(new Set(['0']))

      const others = Object.keys(OTHERS).map((name) => `'${name}'`)
      const otherSettings = await effective(query, `name IN (${others.join(', ')})`)
      expect(Object.fromEntries(otherSettings)).toEqual(OTHERS)
    }
  })
})
