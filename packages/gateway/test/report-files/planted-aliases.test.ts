import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkPlanted, faultsOf, type PlantedSql, writePlanted } from '../kit/planted-report.ts'
import { openScratchLedger, type ScratchLedger } from '../kit/scratch-ledger.ts'

let ledger: ScratchLedger
beforeAll(async () => {
  ledger = await openScratchLedger()
})
afterAll(async () => await ledger.close())

/** The single fault that a piece should have. */
function own(hint: RegExp): readonly string[] {
  return [expect.stringMatching(new RegExp(`^own: .*${hint.source}`))]
}

describe('no piece has an alias that another piece could use', () => {
  const NO_ALIAS = /no alias outside a sub-select, got \w+: name it in a sub-select of `from`/
  test.each<[string, PlantedSql]>([
    ['a dictionary', { column: "toString([tuple(toInt32(1), 'x')] AS merchant_names)" }],
    ['a database', { column: "CAST(tuple(['a']), 'Tuple(users Array(String))') AS system" }],
    ['anything', { column: '1 AS a' }],
    ['a placeholder', { parameter: "({search:String} AS a) != ''" }],
    ['a column', { condition: "(status AS a) = 'x'" }],
    ['a sub-select', { condition: 'merchant_id IN ((SELECT merchant_id FROM merchants) AS a)' }],
    ['a union', { condition: 'merchant_id IN ((SELECT 1 UNION ALL SELECT 2) AS a)' }],
    ['a part of a lambda', { column: 'arrayMap(x -> (x AS a), [1])' }],
    ['a part of a window', { column: 'sum(amount) OVER (ORDER BY amount AS a)' }],
    ['a part of a group', { group: 'currency AS a' }],
    [
      'a part of a condition of groups',
      { having: '(count() AS a) > 1', group: 'currency', column: 'currency' },
    ],
    ['a part of an order', { order: 'transaction_id AS a' }],
    ['a part of an axis', { axis: 'created_at AS a' }],
  ])('refuses the alias of %s', async (_, sql) => {
    expect(await faultsOf(ledger, sql)).toEqual(own(NO_ALIAS))
  })

  test('so that a column means the same without the others', async () => {
    const lines = writePlanted({ column: "toString([tuple(toInt32(1), 'x')] AS merchant_names)" })
    const first = lines.indexOf('columns:') + 1
    const guess = "toString((merchant_id, 'x') IN merchant_names)"
    const second = ['  - name: Guess', '    kind: text', '    about: x', `    sql: ${guess}`]
    const faults = await checkPlanted(ledger, [
      ...lines.slice(0, first),
      ...second,
      ...lines.slice(first),
    ])
    expect(faults).toEqual([
      expect.stringMatching(/columns\[0\]\.sql: .*got merchant_names/),
      expect.stringMatching(/columns\[1\]\.sql: .*no alias .*got merchant_names/),
    ])
  })

  test('but a sub-select has its own aliases', async () => {
    const rows = 'SELECT merchant_id AS a, 1 AS b FROM merchants AS m'
    const sql = { condition: `merchant_id IN (WITH c AS (${rows}) SELECT a FROM c)` }
    expect(await checkPlanted(ledger, writePlanted(sql))).toEqual([])
  })
})

describe('a name in WITH permits no table', () => {
  test.each<[string, PlantedSql, RegExp]>([
    [
      'of the engine',
      {
        column:
          "if(0, toUInt8('x') IN (WITH `system.processes` AS (SELECT 1) SELECT * FROM system.processes), 1)",
      },
      /got system\.processes/,
    ],
    [
      'of names',
      {
        condition:
          "1 IN (WITH merchant_names AS (SELECT 1) SELECT * FROM merchant_names) AND (1, 'x') IN merchant_names",
      },
      /got default\.merchant_names/,
    ],
    [
      'of one row, under an alias',
      {
        condition:
          "1 IN (SELECT (merchant_names AS `system.one`) IN (1) WHERE (2, 'x') IN `system.one`)",
      },
      /an alias that is not the name of a table, got system\.one/,
    ],
  ])('%s', async (_, sql, hint) => {
    expect((await faultsOf(ledger, sql)).join('\n')).toMatch(hint)
  })

  test('and may be used in both parts of a union', async () => {
    const from = 'WITH q AS (SELECT * FROM transactions) SELECT * FROM q UNION ALL SELECT * FROM q'
    expect(await checkPlanted(ledger, writePlanted({ from }))).toEqual([])
  })
})
