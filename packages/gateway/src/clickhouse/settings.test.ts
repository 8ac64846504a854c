import { expect, test } from 'vitest'
import { literal, literals } from './literals.ts'
import { settingsClause, shardSettings } from './settings.ts'

test('writes settings as a clause, with texts as literals', () => {
  const clause = settingsClause({ a: 1, b: "it's", c: '\\' })
  expect(clause).toBe("SETTINGS a = 1, b = 'it\\'s', c = '\\\\'")
})

test('a literal can hold any text, and escapes control characters', () => {
  expect(literal("'\\\0\r\n\x7fé")).toBe(String.raw`'\'\\\x00\x0d\x0a\x7fé'`)
  expect(literals(['a', "b'"])).toBe(String.raw`['a', 'b\'']`)
})

const KEPT_HERE = { allow_push_predicate_ast_for_distributed_subqueries: 0 }

test.each([
  'x IN (SELECT 1)',
  'x not in(select 1)',
  'x GLOBAL NOT IN ( ( WITH a AS (SELECT 1) SELECT * FROM a))',
  'x IN own',
  'in(x, (SELECT 1))',
  'notIn(x, own)',
  'nullInIgnoreSet(x, `own`)',
  'x IN "own"',
  'x IN /* mine */ (SELECT 1)',
  'x IN -- mine\n (SELECT 1)',
  "x != '--' AND y IN (SELECT 1)",
  "x != '/*' AND y IN (SELECT 1) AND x != '*/'",
  "x != 'it\\'s' AND x != 'it''s' AND y IN (SELECT 1) AND x != ''",
  "/* ' */ x IN (SELECT 1) /* ' */",
  'x IN #! mine\n(SELECT 1)',
  'x IN # mine\n(SELECT 1)',
  'x IN /* a */ /* b /* c */ */ (SELECT 1)',
  'x = ANY (SELECT 1)',
  'x = ANY ((SELECT 1))',
  "x != $$'$$ AND y IN (SELECT 1) AND x != $$'$$",
  "x != $a$it's $$ $a$ AND y IN (SELECT 1)",
  'x != 1 AS a$b$ AND y IN (SELECT 1) AND z != 2 AS c$b$',
  'x AS "fee -- net" AND y IN (SELECT 1)',
  "x AS `it's` AND y IN (SELECT 1)",
  'x AS "a""--" AND y IN (SELECT 1)',
  'x AS “fee -- net” AND y IN (SELECT 1)',
  "x != ‘it's’ AND y IN (SELECT 1)",
  '`in`(x, (SELECT 1))',
  'x IN “own”',
  'x != ALL(WITH a AS (SELECT 1) SELECT * FROM a)',
])('no shard gets the sub-select of %s', (sql) => {
  expect(shardSettings(sql)).toEqual(KEPT_HERE)
})

test.each([
  'x IN (1, 2)',
  "x != 'a IN (SELECT 1)' -- y IN (SELECT 1)",
  "x IN ('a')",
  'x AS "y IN (SELECT 1)" AND `z IN (SELECT 1)` = 1',
  'x != $$ y IN (SELECT 1) $$ AND x != $a$ y IN (SELECT $$ 1) $a$',
  'x != ‘y IN (SELECT 1)’',
  'x IN {list:Array(String)}',
  'min(x) > 1 AND asin(x) < 2',
  't INNER JOIN u USING x',
  'any(x) > 1 UNION ALL SELECT 1',
  "INTERVAL 1 DAY + index('x')",
])('shards get %s', (sql) => {
  expect(shardSettings(sql)).toEqual({})
})

test.each([
  ['1900-01-01 00:00:00.000', KEPT_HERE],
  ['1970-01-01 00:00:00.000', KEPT_HERE],
  ['1973-12-31 23:59:59.999', KEPT_HERE],
  ['1974-01-01 00:00:00.000', {}],
  ['2026-11-01 00:00:00.000', {}],
  ['2285-12-31 23:59:59.999', {}],
  ['2286-11-20 17:46:40.000', KEPT_HERE],
  ['2299-12-31 23:59:59.999', KEPT_HERE],
])(
  'keeps a condition on the first server if shards cannot read its instant: %s',
  (from, settings) => {
    expect(shardSettings('x >= {from:DateTime64(3)}', { from, ids: ['1970-01-01 '] })).toEqual(
      settings,
    )
  },
)
