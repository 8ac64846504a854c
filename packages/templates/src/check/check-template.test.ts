import { describe, expect, test } from 'vitest'
import {
  checkPlanted,
  faultsOf,
  type PlantedSql,
  writePlanted,
} from '../../../gateway/test/kit/planted-report.ts'
import { useScratchLedger } from '../../../gateway/test/kit/scratch-ledger.ts'

const ledger = await useScratchLedger()

describe('a sub-select may read every table of the ledger', () => {
  test.each<[string, PlantedSql]>([
    ['as it is', { from: 'SELECT * FROM transactions' }],
    [
      'with its database, and FINAL, which is no other',
      { from: 'SELECT * FROM default.transactions FINAL' },
    ],
    [
      'twice',
      { from: 'SELECT a.* FROM transactions AS a JOIN transactions AS b USING transaction_id' },
    ],
    ['of another', { condition: 'merchant_id IN (SELECT merchant_id FROM merchants)' }],
    ['as a name', { condition: 'currency IN (SELECT currency FROM currencies)' }],
    [
      'in a CTE',
      {
        from: 'WITH own AS (SELECT * FROM transactions) SELECT * FROM own UNION ALL SELECT * FROM own',
      },
    ],
    ['with names', { column: "concat(merchant_name, ifNull(reseller_name, '-'))" }],
    [
      'with several values',
      { from: 'SELECT *, arrayJoin([1, 2]) AS half FROM transactions', column: 'half' },
    ],
    [
      'with windows',
      {
        from: 'SELECT *, row_number() OVER (ORDER BY created_at) AS nr FROM transactions',
        column: 'nr',
      },
    ],
    [
      'with groups',
      { group: 'currency', having: 'sumIf(amount, 1) > 0', column: 'uniqExact(order_id)' },
    ],
  ])('%s', async (_, sql) => {
    expect(await checkPlanted(ledger, writePlanted(sql))).toEqual([])
  })
})

describe('a column has its kind', () => {
  const COLUMNS: readonly (readonly [kind: string, sql: string, expected: RegExp | undefined])[] = [
    ['money', 'amount', undefined],
    ['money', 'gateway_fee', undefined],
    ['money', "CAST(round(amount * fx_rate, 3), 'Decimal(38, 3)')", undefined],
    [
      'money',
      'toFloat64(amount)',
      /the kind money a decimal of at most 4 fraction digits.*got Float64/,
    ],
    ['money', 'amount * fx_rate', /the kind money .*got Nullable\(Decimal\(\d+, 12\)\)/],
    ['money', 'transaction_id', /the kind money .*got String/],
    ['money', 'status', /the kind money .*got LowCardinality\(String\)/],
    ['id', 'transaction_id', undefined],
    ['id', 'client_order_id', undefined],
    ['id', 'error_code', undefined],
    ['id', 'amount', /the kind id a whole number or a text, got Decimal\(20, 4\)/],
    ['id', '1.5', /the kind id .*got Float64/],
    ['integer', 'error_code', undefined],
    ['integer', 'amount', /the kind integer a whole number, got Decimal/],
    ['integer', 'client_order_id', /the kind integer .*got String/],
    ['date', 'bank_date', undefined],
    ['date', 'toTimeZone(settled_at, {timezone:String})', undefined],
    ['date', 'toDate(created_at, {timezone:String})', undefined],
    ['date', 'created_at', /the kind date a day, or a time in the zone of the report.*'UTC'/],
    ['date', "toTimeZone(created_at, 'Europe/Berlin')", /the kind date .*'Europe\/Berlin'/],
    ['date', 'status', /the kind date .*got LowCardinality/],
    ['time', 'settled_at', undefined],
    ['time', 'bank_date', /the kind time a time: DateTime or DateTime64, got Nullable\(Date32\)/],
    ['rate', 'fx_rate', undefined],
    ['rate', 'toFloat64(fx_rate)', /the kind rate a decimal, got Nullable\(Float64\)/],
    ['rate', 'transaction_id', /the kind rate a decimal, got String/],
    ['ratio', 'amount / 3', undefined],
    ['ratio', 'error_code', undefined],
    ['ratio', 'status', /the kind ratio a number, got/],
    ['text', 'bank_date', undefined],
    ['text', '[1, 2]', undefined],
  ]

  // One report has all columns, because each check of a report runs many queries.
  test('and each of another kind is a fault of its own', async () => {
    const lines = writePlanted({})
    const columns = COLUMNS.map(([kind, sql], at) => {
      return `  - {name: C${at}, kind: ${kind}, about: x, sql: ${JSON.stringify(sql)}}`
    })
    const planted = [...lines.slice(0, lines.indexOf('columns:') + 1), ...columns]
    const faults = await checkPlanted(ledger, [...planted, 'order: [transaction_id]'])
    const byColumn = COLUMNS.map((_, at) => {
      return faults.filter((fault) => fault.includes(` columns[${at}].sql: `)).join('\n')
    })
    for (const [at, [kind, sql, expected]] of COLUMNS.entries()) {
      expect(byColumn[at], `${kind}: ${sql}`).toMatch(expected ?? /^$/)
    }
    expect(faults).toHaveLength(COLUMNS.filter(([, , expected]) => expected).length)
  })

  test('and so has an axis of the period', async () => {
    const axis = (sql: string, kind: string) => {
      return checkPlanted(
        ledger,
        writePlanted({}).map((line) =>
          line.replace('{sql: "created_at"', `{sql: ${sql}, kind: ${kind}`),
        ),
      )
    }
    expect(await axis('settled_at', 'time')).toEqual([])
    expect(await axis('bank_date', 'date')).toEqual([])
    expect(await axis('bank_date', 'time')).toEqual([
      expect.stringMatching(
        /^planted\.yaml:8: period\.axes\.created\.sql: .*axis of the kind time a time/,
      ),
    ])
    expect(await axis('created_at', 'date')).toEqual([
      expect.stringMatching(/a day: Date or Date32/),
    ])
    expect(await axis('amount', 'time')).toEqual([expect.stringMatching(/got Decimal/)])
  })
})

test('names every fault of a file once, and first the faults on which others depend', async () => {
  const both = await checkPlanted(
    ledger,
    writePlanted({ condition: 'a = 1', column: 'b', order: 'c' }),
  )
  expect(both.map((fault) => fault.split(': ')[1])).toEqual([
    'condition',
    'columns[0].sql',
    'order[0]',
  ])
  const broken = { from: 'SELECT a FROM transactions', column: 'b', order: 'c' }
  expect(await checkPlanted(ledger, writePlanted(broken))).toEqual([
    expect.stringMatching(/: from: .*`a`/),
  ])
  const group = await checkPlanted(
    ledger,
    writePlanted({ group: 'a', column: 'b', condition: 'c' }),
  )
  expect(group.map((fault) => fault.split(': ')[1])).toEqual(['condition', 'group[0]'])
})

test('checks a column that only one role has, and totals', async () => {
  const lines = writePlanted({})
  const column = lines.indexOf('columns:')
  const hidden = ['  - {name: Hidden, kind: money, about: x, roles: [merchant], sql: ammount}']
  const planted = [...lines.slice(0, column + 1), ...hidden, ...lines.slice(column + 1)]
  expect(await checkPlanted(ledger, planted)).toEqual([
    expect.stringMatching(/columns\[0\]\.sql: .*ammount/),
  ])
  const totals = ['totals: {by: [Column], columns: [Hidden]}']
  const fine = [...planted, ...totals].map((line) => line.replace('ammount', 'amount'))
  expect(await checkPlanted(ledger, fine)).toEqual([])
})

test('a check reads no rows, even from a large ledger', async () => {
  const { engine } = ledger
  await engine.execute(
    `INSERT INTO transactions (transaction_id, merchant_id, created_at, row_version)
    SELECT number, number, toDateTime64('2026-01-01', 3, 'UTC'), 1 FROM numbers(10000)`,
  )
  const numbers = (letter: string) => `ARRAY JOIN range(100000) AS ${letter}`
  const rows = `SELECT merchant_id, a FROM transactions ${numbers('a')}`
  const condition = `merchant_id IN (SELECT max(cityHash64(merchant_id, a, b)) FROM (${rows}) ${numbers('b')})`
  const startedAt = performance.now()
  expect(await checkPlanted(ledger, writePlanted({ condition }))).toEqual([])
  const alone = { column: `(${condition.slice('merchant_id IN ('.length)}` }
  expect(await faultsOf(ledger, alone)).toEqual([
    expect.stringContaining('no sub-select but in FROM, JOIN and IN'),
  ])
  expect(performance.now() - startedAt).toBeLessThan(60_000)
})
