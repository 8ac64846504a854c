import type { PlantedSql } from '../kit/planted-report.ts'

/** Clauses that a report may not have: the name of each, the SQL that holds it, and the hint of its fault. */
export const FORBIDDEN_CLAUSES: readonly (readonly [string, PlantedSql, RegExp])[] = [
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
  ['INTO OUTFILE in a condition', { condition: "1) into  outfile '/tmp/planted' -- " }, /no INTO/],
  ['INTO OUTFILE in a column', { column: "1)) INTO/**/OUTFILE '/tmp/planted' -- " }, /no INTO/],
]

/** Sources that are not in the ledger, and how a fault names each. */
export const FOREIGN_SOURCES: readonly (readonly [sql: string, got: string])[] = [
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
]

/** Names that a report may not use: what each is, the SQL that holds it, and the hint of its fault. */
export const STRANGE_NAMES: readonly (readonly [string, PlantedSql, RegExp])[] = [
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
]

const NOW = /\{now:DateTime64\(3, 'UTC'\)\}, the time of the request, got the function/
/** The hint for a function whose value follows from more than its arguments. */
export const PURE = /functions whose value follows from their arguments, got the function/
const NAMES = /the ledger's own name columns, such as merchant_name, got the function/

/** Functions that depend on more than their arguments, and the hint of each. */
export const IMPURE_FUNCTIONS: readonly (readonly [sql: string, hint: RegExp])[] = [
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
]
