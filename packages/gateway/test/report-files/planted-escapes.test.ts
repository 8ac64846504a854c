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

/** A pattern that contains lines of a tree. With these lines, a sub-select would look like a source. */
const FORGED_LINES = Array.from({ length: 30 }, (_, depth) => {
  return `\\n${' '.repeat(2 * depth + 1)}JOIN TREE`
}).join('')

const TABLE = /a table of the ledger \(transactions, .*\), got/
const NO_VALUE = /no sub-select but in FROM, JOIN and IN; for a single value, join it/
const ALONE = /SQL that stands on its own/

describe('refuses what is not in the ledger', () => {
  test.each<[sql: string, got: string]>([
    ["SELECT transaction_id FROM merge('default', '^transactions$')", 'the table function merge()'],
    ['SELECT transaction_id FROM view(SELECT * FROM transactions)', 'the table function view()'],
    ["SELECT transaction_id FROM mergeTreeIndex('default', 'transactions')", 'mergeTreeIndex()'],
    ["SELECT * FROM file('/etc/passwd', LineAsString)", 'the table function file()'],
    // No server listens there. The check reads the written tree only, so it makes no connection.
    ["SELECT * FROM url('http://127.0.0.1:9/x', CSV)", 'the table function url()'],
    ["SELECT * FROM remote('127.0.0.1:9', default.transactions)", 'the table function remote()'],
    ["SELECT * FROM cluster('x', default.transactions)", 'the table function cluster()'],
    ['SELECT number FROM numbers(10)', 'the table function numbers()'],
    ["SELECT * FROM s3('http://127.0.0.1:9/x')", 'the table function s3()'],
    ["SELECT * FROM executable('x', CSV, 'a String')", 'the table function executable()'],
    ["SELECT * FROM dictionary('merchant_names')", 'the table function dictionary()'],
    ["SELECT * FROM values('a String', 'x')", 'the table function values()'],
    ['SELECT * FROM (EXPLAIN SELECT 1)', 'the table function viewExplain()'],
    ['WITH unused AS (SELECT * FROM file(x)) SELECT * FROM transactions', 'function file()'],
    ['SELECT * FROM transactions UNION ALL SELECT * FROM merge(default, x)', 'function merge()'],
    ['SELECT * FROM merchant_names', 'got merchant_names'],
    ['SELECT * FROM ledger_versions', 'got ledger_versions'],
    ['SELECT * FROM system.tables', 'system.tables'],
    ['SELECT * FROM system.query_thread_log', 'system.query_thread_log'],
    ['SELECT * FROM information_schema.tables', 'information_schema.tables'],
    ['SELECT * FROM (SELECT * FROM (SELECT name FROM system.users))', 'system.users'],
  ])('in from: %s', async (sql, got) => {
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
  test.each<[string, PlantedSql, RegExp]>([
    ['settings', { from: 'SELECT * FROM transactions SETTINGS final = 0' }, /no SETTINGS/],
    [
      'the scope’s settings',
      { from: 'SELECT * FROM transactions SETTINGS additional_table_filters = {}' },
      /no SETTINGS, but the gateway sets/,
    ],
    [
      'settings in a CTE',
      { from: 'WITH a AS (SELECT * FROM transactions settings/**/max_threads=1) SELECT * FROM a' },
      /no SETTINGS/,
    ],
    [
      'settings in a CTE that nobody reads',
      { from: 'WITH a AS (SELECT 1 SETTINGS max_threads=1) SELECT * FROM transactions' },
      /no SETTINGS/,
    ],
    [
      'settings in one half of a union',
      {
        from: 'SELECT * FROM transactions UNION ALL (SELECT * FROM transactions SETTINGS final=0)',
      },
      /no SETTINGS/,
    ],
    [
      'settings behind a comment',
      { from: "SELECT * FROM transactions -- ' SETTINGS\n SETTINGS -- x\n final = 0" },
      /no SETTINGS/,
    ],
    [
      'settings behind an alias',
      {
        from: 'SELECT * FROM (SELECT *, 1 AS `settings` FROM transactions SETTINGS final = 0) AS t',
      },
      /no SETTINGS/,
    ],
    [
      'settings in a condition',
      {
        condition: 'transaction_id IN (SELECT transaction_id FROM transactions SETTINGS final = 0)',
      },
      /no SETTINGS/,
    ],
    [
      'PREWHERE',
      { from: "SELECT * FROM transactions PREWHERE status = 'x'" },
      /no PREWHERE, but WHERE/,
    ],
    ['LIMIT', { from: 'SELECT * FROM transactions LIMIT 10' }, /no LIMIT, but all rows/],
    ['LIMIT BY', { from: 'SELECT * FROM transactions LIMIT 1 BY status' }, /no LIMIT/],
    ['TOP', { from: 'SELECT TOP 5 * FROM transactions' }, /no LIMIT/],
    ['DISTINCT ON', { from: 'SELECT DISTINCT ON (status) * FROM transactions' }, /no LIMIT/],
    ['OFFSET', { from: 'SELECT * FROM transactions OFFSET 1' }, /no OFFSET/],
    [
      'FETCH',
      { from: 'SELECT * FROM transactions ORDER BY status FETCH FIRST 3 ROWS ONLY' },
      /no LIMIT/,
    ],
    [
      'COLLATE',
      { from: "SELECT * FROM transactions ORDER BY status COLLATE 'en'" },
      /no COLLATE, but lower/,
    ],
    ['SAMPLE', { from: 'SELECT * FROM transactions SAMPLE 1 / 10' }, /no SAMPLE/],
    ['FORMAT', { from: 'SELECT * FROM transactions FORMAT CSV' }, /no FORMAT, but the caller/],
    ['FORMAT in a column', { column: 'amount FORMAT Null' }, /no FORMAT/],
    ['LIMIT in a column', { column: 'amount LIMIT 1' }, /no LIMIT/],
    ['INTO OUTFILE', { from: "SELECT 1 INTO OUTFILE '/tmp/planted'" }, /no INTO OUTFILE/],
    ['INTO OUTFILE in order', { order: "1) INTO OUTFILE '/tmp/planted' -- " }, /no INTO OUTFILE/],
    [
      'INTO OUTFILE in a condition',
      { condition: "1) into  outfile '/tmp/planted' -- " },
      /no INTO/,
    ],
    ['INTO OUTFILE in a column', { column: "1)) INTO/**/OUTFILE '/tmp/planted' -- " }, /no INTO/],
  ])('%s', async (_, sql, hint) => {
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
  test.each<[string, PlantedSql, RegExp]>([
    ['a line break', { from: 'SELECT *, 1 AS `a\nb` FROM transactions' }, /a name of letters/],
    [
      'a line break, written',
      { from: 'SELECT *, 1 AS `a\\nb` FROM transactions' },
      /a name of letters/,
    ],
    ['a quote', { column: '1 AS "a`b"' }, /a name of letters/],
    [
      'the words of a tree',
      { column: 'rand() AS `x, function_name: plus, y`' },
      /a name of letters, digits, spaces, "_", "\." and "-", got `x, function/,
    ],
    ['a caller’s choice', { column: '{search:Identifier}' }, /a caller chooses values, not names/],
    ['a caller’s table', { from: 'SELECT * FROM { search :Identifier}' }, /not names/],
    [
      'that of another table',
      { from: 'SELECT * FROM merchants AS companies' },
      /an alias that is not the name of a table, got companies/,
    ],
    [
      'that of another table with its database',
      { condition: 'merchant_id IN (SELECT merchant_id FROM merchants `default.companies`)' },
      /got default\.companies/,
    ],
    [
      'that of a table, for a sub-select that reads it',
      {
        condition: 'merchant_id IN (WITH gates AS (SELECT gate_id FROM gates) SELECT * FROM gates)',
      },
      /a name after WITH that is not the name of a table, got gates/,
    ],
    [
      'that of what no filter narrows, for a table that none can narrow',
      { from: 'SELECT * FROM merchants AS unfiltered' },
      /the alias unfiltered for transactions or statements, got merchants/,
    ],
    [
      'that of what no filter narrows, for a sub-select by name',
      { from: 'WITH a AS (SELECT * FROM merchants) SELECT * FROM a AS `unfiltered`' },
      /the alias unfiltered for transactions or statements, got a/,
    ],
  ])('and not %s', async (_, sql, hint) => {
    expect(await faultsOf(ledger, sql)).toEqual(own(hint))
  })

  test.each<[PlantedSql]>([
    [{ column: '_part' }],
    [{ condition: 'transactions._part_offset < 10' }],
    [{ from: 'SELECT *, `_partition_id` AS month FROM transactions AS t' }],
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
  const NOW = /\{now:DateTime64\(3, 'UTC'\)\}, the time of the request, got the function/
  const PURE = /functions whose value follows from their arguments, got the function/
  const NAMES = /the ledger's own name columns, such as merchant_name, got the function/
  test.each<[string, RegExp]>([
    ['now()', NOW],
    ['NOW()', NOW],
    ['toDate(now64()) + 1', NOW],
    ['today()', NOW],
    ['yesterday()', NOW],
    ['current_timestamp()', NOW],
    ['CURDATE()', NOW],
    ['rand()', PURE],
    ['if(0, rand(), 1)', PURE],
    ['arrayMap(x -> x + rand64(), [1])', PURE],
    ['generateUUIDv4()', PURE],
    ["getSetting('additional_table_filters')", PURE],
    ['currentUser()', PURE],
    ['USER()', PURE],
    ['hostName()', PURE],
    ['version()', PURE],
    ['timezone()', PURE],
    ['timeZoneOf(toDateTime(0))', PURE],
    ['sleep(3)', PURE],
    ['sleepEachRow(1)', PURE],
    ["throwIf(1, 'x')", PURE],
    ["indexHint(status = 'x')", PURE],
    ['rowNumberInAllBlocks()', PURE],
    ['runningDifference(amount)', PURE],
    ["file('/etc/passwd')", PURE],
    ["__getScalar('x')", PURE],
    ["dictGet('merchant_names', 'name', merchant_id)", NAMES],
    ["dictGetOrDefault('merchant_names', 'name', merchant_id, '')", NAMES],
    ["dictHas('merchant_names', merchant_id)", NAMES],
    ["joinGet('x', 'y', 1)", PURE],
    ["arrayReduce('groupConcat(hostName())', ['a'])", PURE],
    ["arrayReduce('groupConcat((SELECT name FROM system.databases))', ['a'])", PURE],
    ["arrayReduceInRanges('groupConcat(hostName())', [(1, 2)], ['a'])", PURE],
    ["initializeAggregation('groupConcatState(hostName())', 'a')", PURE],
    ["hasColumnInTable('default', 'transactions', 'amount')", PURE],
  ])('%s', async (column, hint) => {
    expect(await faultsOf(ledger, { column })).toEqual(own(hint))
  })

  test.each<[string, PlantedSql]>([
    [
      'an array that becomes rows',
      { from: 'SELECT x FROM transactions ARRAY JOIN [rand()] AS x', column: 'x', order: 'x' },
    ],
    ['a window', { column: 'row_number() OVER (ORDER BY rand())' }],
    [
      'every column',
      { from: 'SELECT * APPLY(rand) FROM transactions', column: "'x'", order: "'x'" },
    ],
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
      'of a state',
      { column: 'finalizeAggregation((SELECT uniqExactState(amount) FROM transactions))' },
    ],
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
