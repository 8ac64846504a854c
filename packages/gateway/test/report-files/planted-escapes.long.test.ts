import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkPlanted, faultsOf, type PlantedSql, writePlanted } from '../kit/planted-report.ts'
import { openScratchLedger, type ScratchLedger } from '../kit/scratch-ledger.ts'
import {
  FORBIDDEN_CLAUSES,
  FOREIGN_SOURCES,
  IMPURE_FUNCTIONS,
  PURE,
  STRANGE_NAMES,
} from './planted-escapes.cases.ts'

let ledger: ScratchLedger
beforeAll(async () => {
  ledger = await openScratchLedger()
})
afterAll(async () => await ledger.close())

/** The single fault that a piece should have. */
function own(hint: RegExp): readonly string[] {
  return [expect.stringMatching(new RegExp(`^own: .*${hint.source}`))]
}

/** A pattern that contains lines of a tree. With these lines, a sub-select would look like a source. */
const FORGED_LINES = Array.from({ length: 30 }, (_, depth) => {
  return `\\n${' '.repeat(2 * depth + 1)}JOIN TREE`
}).join('')

const TABLE = /a table of the ledger \(transactions, .*\), got/
const NO_VALUE = /no sub-select but in FROM, JOIN and IN; for a single value, join it/
const ALONE = /SQL that stands on its own/

describe('refuses what is not in the ledger', () => {
  test.each(FOREIGN_SOURCES)('in from: %s', async (sql, got) => {
    const lines = writePlanted({ from: sql, column: "'x'", order: "'x'" })
    const [fault = '', ...others] = await checkPlanted(ledger, lines)
    expect(others).toEqual([])
    expect(fault).toMatch(/^planted\.yaml:13: from: /)
    expect(fault).toContain(got)
    expect(fault).toMatch(TABLE)
  })

  test.each<[keyof PlantedSql, string]>([
    ['condition', "transaction_id IN (SELECT transaction_id FROM merge('default', 'tr'))"],
    ['condition', 'merchant_id IN merchant_names'],
    ['having', 'count() IN (SELECT number FROM numbers(10))'],
    ['qualify', 'count() IN (SELECT number FROM numbers(10))'],
    ['parameter', "status IN (SELECT line FROM file('/etc/passwd', LineAsString))"],
    ['column', "transaction_id IN (SELECT 1 FROM url('http://127.0.0.1:9/'))"],
    ['order', 'transaction_id IN (SELECT number FROM system.numbers)'],
    ['axis', 'if(transaction_id IN (SELECT 1 FROM generateRandom()), created_at, created_at)'],
    ['column', 'inIgnoreSet(merchant_id, merchant_names)'],
    // Other values of the parameter would reach these.
    ['parameter', '1 IN (SELECT startsWith(name, {search:String}) FROM merchant_names)'],
    [
      'parameter',
      "status = {search:String} AND status = 'a' AND status IN (SELECT name FROM system.tables)",
    ],
    [
      'parameter',
      "if({search:String} = 'text', 1, toUInt8({search:String}) IN (SELECT 1 FROM merchant_names))",
    ],
    // No value reaches this.
    ['column', 'if(1, 1, transaction_id IN (SELECT 1 FROM file(x)))'],
  ])('in %s: %s', async (place, sql) => {
    const isOfGroups = place === 'having' || place === 'qualify'
    const group = isOfGroups ? { group: 'transaction_id' } : {}
    expect(await faultsOf(ledger, { [place]: sql, ...group })).toEqual(own(TABLE))
  })
})

describe('refuses clauses that a report may not have', () => {
  test.each(FORBIDDEN_CLAUSES)('%s', async (_, sql, hint) => {
    expect(await faultsOf(ledger, sql)).toEqual(own(hint))
  })
})

describe('a piece is complete', () => {
  test.each<[string, PlantedSql]>([
    ['another SELECT', { order: "1) UNION ALL SELECT ('x' --" }],
    ['another SELECT, closed', { order: "1) UNION ALL SELECT ('x'" }],
    ['another condition', { condition: '1) OR (1' }],
    ['another condition of a parameter', { parameter: '1) OR (status = {search:String}' }],
    ['another column', { column: "1), toString('x'" }],
    ['another source', { from: 'SELECT 1) AS a, (SELECT 2' }],
    ['a comment that is not closed', { condition: '1 /*' }],
    ['a comment that hides what closes it', { condition: '1) --' }],
    ['a quote that is not closed', { column: "'x" }],
    ['a name that is not closed', { column: '`x' }],
    ['another query', { order: '1; DROP TABLE transactions' }],
    ['half of it', { having: '(count() > 1', group: 'currency' }],
    ['a statement', { from: 'DROP TABLE transactions' }],
    ['nothing but a comment', { condition: '-- nothing' }],
    ['text in dollars, half of it', { column: '$$x' }],
  ])('and not %s', async (_, sql) => {
    expect(await faultsOf(ledger, sql)).toEqual(own(ALONE))
  })

  test.each<[string, PlantedSql]>([
    ['comments', { condition: '1 -- ) a comment\n AND /* ( another */ 1 # and more' }],
    ['texts', { column: "'( it''s \\' ) /* -- '" }],
    ['text in dollars', { column: "$$ ) ' $$" }],
    [
      'keywords inside texts',
      { column: "concat('no SETTINGS here', 'INTO OUTFILE', ' LIMIT 5; ', '--')" },
    ],
    [
      'names that look like keywords',
      { from: 'SELECT *, 1 AS `limit`, 2 AS "settings" FROM transactions' },
    ],
    ['functions that look like keywords', { column: "format('{} FORMAT {}', status, currency)" }],
    [
      'a text with a line break',
      { column: "'a\n  TABLE_FUNCTION id: 1, table_function_name: file'" },
    ],
  ])('with %s', async (_, sql) => {
    expect(await checkPlanted(ledger, writePlanted(sql))).toEqual([])
  })
})

describe('names are plain', () => {
  test.each(STRANGE_NAMES)('and not %s', async (_, sql, hint) => {
    expect(await faultsOf(ledger, sql)).toEqual(own(hint))
  })

  test.each<[PlantedSql]>([
    [{ column: '_part' }],
    [{ condition: 'transactions._part_offset < 10' }],
    [{ from: 'SELECT *, `_partition_id` AS month FROM transactions AS t' }],
    [{ from: 'SELECT *, `t x`._part_offset AS place FROM transactions AS `t x`' }],
    [{ from: 'SELECT * FROM transactions AS `t.x` WHERE `t.x`._part_index = 0' }],
    [{ order: '_block_number' }],
  ])('and not those of the engine’s own columns: %j', async (sql) => {
    const hint = /a column of the ledger, got _\w+: the engine reserves such names/
    expect(await faultsOf(ledger, sql)).toEqual(own(hint))
  })

  test.each<[PlantedSql]>([
    [{ column: 'COLUMNS(_part)' }],
    [{ column: 'transactions.COLUMNS(_part_offset, merchant_id)' }],
    [{ column: "COLUMNS('^merchant_id$')" }],
    [{ from: "SELECT * EXCEPT('^a') FROM transactions" }],
    [{ from: 'SELECT * APPLY(toString) FROM transactions' }],
    [{ from: 'SELECT * APPLY(x -> toString(x)) FROM transactions' }],
    [{ column: `tuple(COLUMNS('^merchant_id$|${FORGED_LINES}'), (SELECT 1)).2` }],
  ])('and not by a pattern of columns: %j', async (sql) => {
    const [fault = ''] = await faultsOf(ledger, sql)
    expect(fault).toMatch(/^own: .*columns by their names, got a choice of them/)
  })

  test('unfiltered is a name for transactions and for statements', async () => {
    const from = `SELECT * FROM transactions AS unfiltered
      WHERE statement_id IN (SELECT statement_id FROM statements unfiltered)`
    expect(await checkPlanted(ledger, writePlanted({ from }))).toEqual([])
  })

  test('in any language', async () => {
    const from = 'SELECT *, amount AS `Größe 1.2-b` FROM transactions AS "Zahlungen"'
    expect(await checkPlanted(ledger, writePlanted({ from, column: '`Größe 1.2-b`' }))).toEqual([])
  })
})

describe('refuses functions that are passed by name', () => {
  test.each([
    ["arrayMap(file, ['/etc/hostname'])", 'the function file()'],
    ["arrayMap(`file`, ['/etc/hostname'])", 'the function file()'],
    ["arrayMap(FILE, ['/etc/hostname'])", 'the function FILE()'],
    ["arraySort(file, ['/etc/hostname'])", 'the function file()'],
    ["arrayCount(startsWith, arrayMap(file, ['/x']), ['y'])", 'the function file()'],
    ['arrayMap(rand, [1])', 'the function rand()'],
    ['arrayMap(lower, [currency])', 'the name of a function'],
  ])('%s', async (column, got) => {
    const [fault = ''] = await faultsOf(ledger, { column })
    expect(fault).toContain(got)
  })
})

describe('refuses functions that depend on more than their arguments', () => {
  test.each(IMPURE_FUNCTIONS)('%s', async (column, hint) => {
    expect(await faultsOf(ledger, { column })).toEqual(own(hint))
  })

  test.each<[string, PlantedSql]>([
    [
      'an array that becomes rows',
      { from: 'SELECT x FROM transactions ARRAY JOIN [rand()] AS x', column: 'x', order: 'x' },
    ],
    ['a window', { column: 'row_number() OVER (ORDER BY rand())' }],
    ['a filter of a sum', { column: 'sum(1) FILTER (WHERE rand() > 0)', group: 'currency' }],
  ])('also in %s', async (_, sql) => {
    expect(await faultsOf(ledger, sql)).toEqual(own(PURE))
  })
})

describe('refuses a sub-select as a value, because it would run before anything else', () => {
  test.each<[string, PlantedSql]>([
    ['of a number', { column: '(SELECT max(amount) FROM transactions)' }],
    ['inside an expression', { condition: 'amount > (SELECT avg(closing) FROM statements) / 2' }],
    ['of many values', { column: '(SELECT groupArray(amount) FROM transactions)[1]' }],
    [
      'by a name',
      {
        from: 'WITH (SELECT max(amount) FROM transactions) AS most SELECT *, most FROM transactions',
      },
    ],
    ['that nobody asks for', { from: 'SELECT *, (SELECT 1) AS unused FROM transactions' }],
    ['on the left of IN', { condition: '(SELECT max(amount) FROM transactions) IN (1, 2)' }],
    [
      'of each row',
      {
        condition:
          'amount > (SELECT max(closing) FROM statements AS s WHERE s.merchant_id = transactions.merchant_id)',
      },
    ],
    ['whether there is any', { condition: 'EXISTS (SELECT 1 FROM statements)' }],
    ['compared with all', { condition: 'amount > ALL (SELECT closing FROM statements)' }],
  ])('%s', async (_, sql) => {
    expect(await faultsOf(ledger, sql)).toEqual(own(NO_VALUE))
  })
})

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
