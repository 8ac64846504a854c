import { beforeAll, describe, expect, test } from 'vitest'
import { checkPlanted, faultsOf, type PlantedSql, writePlanted } from '../kit/planted-report.ts'
import { useScratchLedger } from '../kit/scratch-ledger.ts'

/** SQL that `check` refuses, and the fault of each. An expression with `{text:String}` is the condition of a parameter. */
type Refused = readonly (readonly [sql: string, fault: RegExp])[]

const TABLE = /a table of the ledger \(transactions, .*\), got/
const PURE = /functions whose value follows from their arguments, got the function/
const NAMES = /the ledger's own name columns, such as merchant_name, got the function/
const NOW = /\{now:DateTime64\(3, 'UTC'\)\}, the time of the request, got the function/
const ROLE = /Not enough privileges/
const VALUE = /no sub-select but in FROM, JOIN and IN; for a single value, join it/
const ALONE = /SQL that stands on its own/
const NAME = /a name of letters, digits, spaces/

/** A pattern that contains lines of a query tree. With these lines, a sub-select would look like a source. */
const FORGED_LINES = Array.from({ length: 30 }, (_, depth) => {
  return `\\n${' '.repeat(2 * depth + 1)}JOIN TREE`
}).join('')

const OUTSIDE: Refused = [
  ["1 IN (SELECT transaction_id FROM merge('default', '^transactions$'))", TABLE],
  ["1 IN (SELECT 1 FROM mergeTreeIndex('default', 'transactions'))", TABLE],
  ['1 IN (SELECT transaction_id FROM view(SELECT * FROM transactions))', TABLE],
  ["1 IN (SELECT 1 FROM file('/etc/passwd', LineAsString))", TABLE],
  // No server listens there, and `check` makes no connection.
  ["1 IN (SELECT 1 FROM url('http://127.0.0.1:9/x', CSV))", TABLE],
  ["1 IN (SELECT 1 FROM remote('127.0.0.1:9', default.transactions))", TABLE],
  ["1 IN (SELECT 1 FROM cluster('x', default.transactions))", TABLE],
  ["1 IN (SELECT 1 FROM executable('x', CSV, 'a String'))", TABLE],
  ["1 IN (SELECT 1 FROM dictionary('merchant_names'))", TABLE],
  ['1 IN (SELECT * FROM (EXPLAIN SELECT 1))', TABLE],
  ['1 IN (WITH unused AS (SELECT * FROM file(x)) SELECT 1)', TABLE],
  ['1 IN (SELECT 1 UNION ALL SELECT 1 FROM merge(default, x))', TABLE],
  ['1 IN (SELECT 1 FROM merchant_names)', TABLE],
  ['merchant_id IN merchant_names', TABLE],
  ['inIgnoreSet(merchant_id, merchant_names)', TABLE],
  ['1 IN (SELECT 1 FROM ledger_versions)', TABLE],
  ['1 IN (SELECT 1 FROM system.query_log)', TABLE],
  ['1 IN (SELECT 1 FROM information_schema.tables)', TABLE],
  ["'x' IN (SELECT * FROM (SELECT * FROM (SELECT name FROM system.users)))", TABLE],
  // The engine would leave these branches out.
  ['if(1, 1, 1 IN (SELECT 1 FROM file(x)))', TABLE],
  ["if({text:String} = 'text', 1, toUInt8('x') IN (SELECT 1 FROM merchant_names))", TABLE],
  ["status = {text:String} AND status = 'a' AND 'x' IN (SELECT name FROM system.tables)", TABLE],
  ['1 IN (WITH `system.one` AS (SELECT 1) SELECT 1 FROM system.processes)', TABLE],
  [
    "if(0, toUInt8('x') IN (WITH `system.processes` AS (SELECT 1) SELECT 1 FROM system.processes), 1)",
    TABLE,
  ],
  [
    "1 IN (WITH merchant_names AS (SELECT 1) SELECT * FROM merchant_names) AND (1, 'x') IN merchant_names",
    ROLE,
  ],
  ['_part', ROLE],
  ['transactions._part_offset', ROLE],
  ['1 IN (SELECT `t x`._block_number FROM merchants AS `t x`)', ROLE],
]

const NAMES_OF_TABLES: Refused = [
  ['1 IN (SELECT merchant_id FROM merchants AS companies)', /not the name of a table, got compan/],
  ['1 IN (SELECT 1 FROM merchants `default.companies`)', /got default\.companies/],
  [
    "1 IN (SELECT (merchant_names AS `system.one`) IN (1) WHERE (2, 'x') IN `system.one`)",
    /an alias that is not the name of a table, got system\.one/,
  ],
  [
    '1 IN (WITH gates AS (SELECT gate_id FROM gates) SELECT * FROM gates)',
    /a name after WITH that is not the name of a table, got gates/,
  ],
  [
    '1 IN (SELECT merchant_id FROM merchants AS unfiltered)',
    /the alias unfiltered for transactions or statements, got merchants/,
  ],
  [
    '1 IN (WITH a AS (SELECT 1 FROM merchants) SELECT * FROM a AS `unfiltered`)',
    /the alias unfiltered for transactions or statements, got a/,
  ],
  ["toString([tuple(toInt32(1), 'x')] AS merchant_names)", /got merchant_names/],
  ["CAST(tuple(['a']), 'Tuple(users Array(String))') AS system", /no alias outside a sub-select/],
  ["({text:String} AS a) != ''", /no alias outside a sub-select, got a: name it in a sub-select/],
  ['arrayMap(x -> (x AS a), [1])', /no alias outside a sub-select, got a/],
]

const CLAUSES: Refused = [
  ['1 IN (SELECT 1 SETTINGS final = 0)', /no SETTINGS, but the gateway sets/],
  ['1 IN (SELECT 1 FROM transactions SETTINGS additional_table_filters = {})', /no SETTINGS/],
  ['1 IN (WITH a AS (SELECT 1 settings/**/max_threads=1) SELECT 1)', /no SETTINGS/],
  ['1 IN (SELECT 1 UNION ALL (SELECT 2 SETTINGS final=0))', /no SETTINGS/],
  ["1 IN (SELECT 1 -- ' SETTINGS\n SETTINGS -- x\n final = 0)", /no SETTINGS/],
  ['1 IN (SELECT 1 FROM transactions PREWHERE 1)', /no PREWHERE, but WHERE/],
  ['1 IN (SELECT 1 FROM transactions SAMPLE 1 / 10)', /no SAMPLE/],
  ['1 IN (SELECT 1 LIMIT 10)', /no LIMIT, but all rows/],
  ['1 IN (SELECT 1 FROM transactions LIMIT 1 BY status)', /no LIMIT/],
  ['1 IN (SELECT DISTINCT ON (status) 1 FROM transactions)', /no LIMIT/],
  ['1 IN (SELECT 1 OFFSET 1)', /no OFFSET/],
]

const FUNCTIONS: Refused = [
  ['now()', NOW],
  ['toDate(NOW64()) + 1', NOW],
  ['current_timestamp()', NOW],
  ['if(0, rand(), 1)', PURE],
  ['arrayMap(x -> x + rand64(), [1])', PURE],
  ['row_number() OVER (ORDER BY rand())', PURE],
  ["getSetting('additional_table_filters')", PURE],
  ['currentUser()', PURE],
  ['rowNumberInAllBlocks()', PURE],
  ["file('/etc/passwd')", PURE],
  ["__getScalar('x')", PURE],
  ["joinGet('x', 'y', 1)", PURE],
  ["hasColumnInTable('default', 'transactions', 'amount')", PURE],
  ["arrayReduce('groupConcat((SELECT name FROM system.databases))', ['a'])", PURE],
  ["arrayReduceInRanges('groupConcat(hostName())', [(1, 2)], ['a'])", PURE],
  ["initializeAggregation('groupConcatState(hostName())', 'a')", PURE],
  ["dictGet('merchant_names', 'name', merchant_id)", NAMES],
  ["dictHas('merchant_names', merchant_id)", NAMES],
  ["arrayMap(file, ['/etc/hostname'])", /another name than file, the name of the function file/],
  ["arrayCount(startsWith, arrayMap(`file`, ['/x']), ['y'])", /the function file\(\)/],
  ["COLUMNS('^merchant_id$')", /columns by their names, got a choice of them/],
  ['1 IN (SELECT * APPLY(file) FROM merchants)', /columns by their names/],
  [`tuple(COLUMNS('^merchant_id$|${FORGED_LINES}'), (SELECT 1)).2`, /columns by their names/],
]

/** The engine runs such a sub-select before the report, even while it explains the query. */
const SINGLE_VALUES: Refused = [
  ['(SELECT max(amount) FROM transactions)', VALUE],
  ['amount > (SELECT avg(closing) FROM statements) / 2', VALUE],
  ['1 IN (WITH (SELECT max(amount) FROM transactions) AS most SELECT most)', VALUE],
  ['1 IN (SELECT 1 FROM (SELECT 1, (SELECT 1) AS unused))', VALUE],
  ['(SELECT max(amount) FROM transactions) IN (1, 2)', VALUE],
  ['EXISTS (SELECT 1 FROM statements)', VALUE],
  ['amount > ALL (SELECT closing FROM statements)', VALUE],
]

/** A caller's text that is more than a value. The first two were an attack on every report of a gateway. */
const TEXTS: Refused = [
  [
    "toTimeZone(created_at, replaceAll({text:String}, '\\'', '')) > created_at",
    /in replaceAll\(\)/,
  ],
  ["CAST(1, concat('DateTime(\\'', {text:String}, '\\')')) > created_at", /in concat\(\)/],
  ["toString(created_at, {text:String}) != ''", /in toString\(\)/],
  ['CAST(amount, {text:String}) IS NOT NULL', /in CAST\(\)/],
  ["CAST({text:String}, 'AggregateFunction(any, Dynamic)') IS NULL", /in CAST\(\)/],
  ["parseDateTimeInJodaSyntax({text:String}, 'yyyy z') > created_at", /in parseDateTimeInJodaSy/],
  ['match(status, {text:String})', /in match\(\)/],
  ['status LIKE {text:String}', /in like\(\)/],
  ["printf({text:String}, status) = ''", /in printf\(\)/],
  ["repeat('x', toUInt32({text:String})) = ''", /in toUInt32\(\)/],
  ['getSubcolumn(email, {text:String}) = 1', /in getSubcolumn\(\)/],
  ['arrayExists(x -> match(status, x), {list:Array(String)})', /in arrayExists\(\)/],
  ['hasAny(arrayFilter(x -> status LIKE x, {list:Array(String)}), [status])', /in arrayFilter\(\)/],
  ['{list:Array(String)}[1] = status', /in arrayElement\(\)/],
  ["if(status = 'a', {text:String}, status) = status", /in if\(\)/],
  ['quantile({text:String})(amount) > 1', /got it elsewhere/],
  ['1 IN (WITH {text:String} AS one SELECT match(status, one) FROM transactions)', /elsewhere/],
  ['1 IN (SELECT ({text:String} AS one) = status AND match(status, one))', /elsewhere/],
  ['1 IN (SELECT 1 FROM (SELECT {text:String} AS a) WHERE match(a, a))', /elsewhere/],
  ['1 IN (SELECT 1 FROM transactions ORDER BY {text:String})', /elsewhere/],
]

/** Pieces that the SQL around them would change. `check` finds them by their tokens, before the engine explains any. */
const TOKENS: Refused = [
  ["1), toString('x'", ALONE],
  ['1) OR (1', ALONE],
  ['1) --', ALONE],
  ['1 /*', ALONE],
  ["'x", ALONE],
  ['`x', ALONE],
  ['$$x', ALONE],
  ['1; DROP TABLE transactions', ALONE],
  ['-- nothing', ALONE],
  ["1) UNION ALL SELECT ('x'", ALONE],
  ['1) OR (status = {text:String}', ALONE],
  ['amount FORMAT Null', /no FORMAT, but the caller/],
  ["1) INTO OUTFILE '/tmp/planted' -- ", /no INTO OUTFILE, but/],
  ["1)) INTO/**/OUTFILE '/tmp/planted' -- ", /no INTO OUTFILE/],
  ["1 IN (SELECT 1 INTO OUTFILE '/tmp/planted')", /no INTO OUTFILE/],
  ["1 IN (SELECT 1 ORDER BY '1' COLLATE 'en')", /no COLLATE, but lower/],
  ['1 IN (SELECT 1 AS `a\nb`)', NAME],
  ['rand() AS `x, function_name: plus, y`', /a name of letters, .* got `x, function/],
  ['{text:Identifier} = 1', /a caller chooses values, not names/],
  ['1 IN (SELECT 1 FROM { text :Identifier})', /not names/],
]

const ACCEPTED: readonly string[] = [
  'merchant_id IN (SELECT merchant_id FROM default.merchants)',
  'currency IN (SELECT currency FROM currencies)',
  "concat(merchant_name, ifNull(reseller_name, '-'))",
  '1 IN (SELECT arrayJoin([1, 2]) + row_number() OVER (ORDER BY created_at) FROM transactions FINAL)',
  '1 IN (WITH q AS (SELECT 1) SELECT * FROM q UNION ALL SELECT * FROM q)',
  '1 IN (SELECT a FROM (SELECT merchant_id AS a, 1 AS b FROM merchants AS m))',
  '1 IN (SELECT statement_id FROM transactions AS unfiltered)',
  '1 IN (SELECT amount AS `Größe 1.2-b` FROM transactions AS "Zahlungen")',
  "'no SETTINGS here, INTO OUTFILE, LIMIT 5; --'",
  "'a\n  TABLE_FUNCTION id: 1, table_function_name: file'",
  '1 -- ) a comment\n AND /* ( another */ 1 # and more',
  'arrayMap(lower, [currency])',
  "match(order_description, '^a+$') OR order_description LIKE '%a%'",
  "toString(created_at, 'Europe/Berlin')",
  "CAST(created_at, 'DateTime64(3, \\'Europe/Berlin\\')')",
  "toTimeZone({now:DateTime64(3, 'UTC')}, {timezone:String})",
  'status = {text:String} OR {text:String} != currency',
  "status IN ({text:String}) OR status BETWEEN {text:String} AND 'z'",
  'status IN {list:Array(String)} AND NOT has({list:Array(String)}, status)',
  'hasAny([status, currency], {list:Array(String)})',
  "multiIf({text:String} = 'a', status, {text:String} = 'b', currency, '') != ''",
  'position(order_description, {text:String}) > 0 AND startsWith(status, {text:String})',
]

const ledger = await useScratchLedger()

/** Checks one report that has all expressions, and returns the faults of each. */
async function faultsOfEach(expressions: readonly string[]): Promise<readonly string[]> {
  const columns = ['  - {name: Status, kind: text, about: x, sql: status}']
  const parameters = ['  - {name: other, title: x, type: INPUT_TEXT}']
  const paths = expressions.map((written, at) => {
    const [, value] = /\{ ?(text|list)\b/.exec(written) ?? []
    if (value === undefined) {
      columns.push(`  - {name: C${at}, kind: text, about: x, sql: ${JSON.stringify(written)}}`)
      return `columns[${columns.length - 1}].sql`
    }
    const condition = JSON.stringify(written.replaceAll(/(?<=\{ ?)(text|list)\b/g, `p${at}`))
    const type = `type: INPUT_TEXT, list: ${value === 'list'}`
    parameters.push(`  - {name: p${at}, title: x, ${type}, condition: ${condition}}`)
    return `parameters[${parameters.length - 1}].condition`
  })
  const lines = writePlanted({})
  const faults = await checkPlanted(ledger, [
    ...lines.slice(0, lines.indexOf('parameters:') + 1),
    ...parameters,
    'columns:',
    ...columns,
    'order: [transaction_id]',
  ])
  return paths.map((path) => faults.filter((fault) => fault.includes(` ${path}: `)).join('\n'))
}

describe.each<[string, Refused]>([
  ['SQL that reads outside the ledger', OUTSIDE],
  ['the name of a table for another table', NAMES_OF_TABLES],
  ['clauses of the gateway, and clauses that leave rows out', CLAUSES],
  ['functions that depend on more than their arguments', FUNCTIONS],
  ['a sub-select as a single value', SINGLE_VALUES],
  ["a caller's text that is not compared", TEXTS],
  ['SQL that is not complete', TOKENS],
])('refuses %s:', (_, refused) => {
  let faults: readonly string[]
  beforeAll(async () => {
    faults = await faultsOfEach(refused.map(([sql]) => sql))
  })

  test.each(refused.map(([sql, fault], at) => [sql, fault, at] as const))('%s', (__, fault, at) => {
    expect(faults[at]).toMatch(fault)
  })
})

test('accepts the rest', async () => {
  const faults = await faultsOfEach(ACCEPTED)
  expect(ACCEPTED.map((sql, at) => [sql, faults[at]])).toEqual(ACCEPTED.map((sql) => [sql, '']))
})

const USERS = "'x' IN (SELECT name FROM system.users)"

test.each<[place: string, PlantedSql]>([
  ['from', { from: 'SELECT name FROM system.users', column: "'x'", order: "'x'" }],
  ['condition', { condition: USERS }],
  ['group', { group: USERS, column: "'x'", order: "'x'" }],
  ['having', { having: USERS, group: 'currency', column: 'currency' }],
  ['qualify', { qualify: USERS }],
  ['column', { column: USERS }],
  ['order', { order: USERS }],
  ['parameter', { parameter: USERS }],
  ['axis', { axis: `if(${USERS}, created_at, created_at)` }],
])('names the member of a fault: %s', async (_, sql) => {
  expect(await faultsOf(ledger, sql)).toEqual([
    expect.stringMatching(/^own: a table of the ledger .* got system\.users/),
  ])
})
