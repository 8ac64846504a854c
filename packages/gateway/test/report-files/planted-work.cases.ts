import type { PlantedSql } from '../kit/planted-report.ts'

/** A list that a caller chooses. */
export const LIST = "splitByChar(',', {search:String})"

/** What an expression without a column may not do, its SQL, and the fault that `check` finds. */
export const WORK_WITHOUT_COLUMN: readonly (readonly [string, PlantedSql, RegExp])[] = [
  [
    'compare each element with a caller’s text',
    {
      parameter: `has(arrayFilter(word -> editDistance(word, {search:String}) <= 2, ${LIST}), status)`,
    },
    /only lambdas of their own arguments and plain functions, .* got another in arrayFilter\(\)/,
  ],
  [
    'search a caller’s list for each element',
    { parameter: `has(arrayFilter(word -> has(${LIST}, word), ${LIST}), status)` },
    /got another in arrayFilter\(\)/,
  ],
  [
    'search a caller’s list under a name for each element',
    {
      parameter: `1 IN (WITH ${LIST} AS list SELECT arrayExists(word -> has(list, word), list) FROM transactions)`,
    },
    /got another in arrayExists\(\)/,
  ],
  [
    'have a lambda in a lambda',
    { parameter: `has(arrayMap(x -> arrayMap(y -> concat(x, y), ['a'])[1], ${LIST}), status)` },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list of the file',
    { condition: 'has(arrayMap(x -> cityHash64(x), range(1000000000)), merchant_id)' },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list under the name of a column',
    {
      condition: `merchant_id IN (
        SELECT arraySum(arrayMap(x -> cityHash64(x), range(status))) FROM (SELECT 1000000000 AS status))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list under a name that is also a column’s',
    {
      condition: `merchant_id IN (
        SELECT arraySum(arrayMap(x -> cityHash64(x), range(n))) FROM (SELECT 1000000000 AS n)
        UNION ALL SELECT n FROM (SELECT merchant_id AS n FROM transactions))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compare a caller’s text under the name of a column',
    {
      parameter: `1 IN (
        SELECT editDistance(status, upper(status)) FROM (SELECT {search:String} AS status))`,
    },
    /only plain functions, .* got editDistance\(\)/,
  ],
  [
    'compute a long list under the name of a number',
    {
      condition:
        'merchant_id IN (SELECT arraySum(arrayMap(x -> cityHash64(x), range(`1000000000`))) FROM (SELECT 1000000000))',
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list of every column',
    {
      condition:
        'merchant_id IN (SELECT arraySum(arrayMap(x -> cityHash64(x), range(*))) FROM (SELECT 1000000000 AS n))',
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compare a caller’s text that a condition without a column chooses',
    {
      parameter:
        "editDistance({search:String}, if({search:String} = 'x', status, upper({search:String}))) = 1",
    },
    /got editDistance\(\)/,
  ],
  [
    'compare a caller’s text that is never null',
    { parameter: 'editDistance({search:String}, coalesce(upper({search:String}), status)) = 1' },
    /got editDistance\(\)/,
  ],
  [
    'compute a long list by whether a column is null that never is',
    {
      condition:
        'merchant_id = arraySum(arrayMap(x -> cityHash64(x), range(1000000000 + isNull(merchant_id))))',
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list where one argument decides',
    {
      condition:
        'merchant_id = arraySum(arrayMap(x -> cityHash64(x), range(1000000000 + (merchant_id AND 0))))',
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'fold a list',
    { condition: 'arrayFold((sum, x) -> sum + x, [1, 2], 0) = merchant_id' },
    /got another in arrayFold\(\)/,
  ],
  [
    'compare two texts by their distance',
    { parameter: 'editDistance({search:String}, upper({search:String})) = merchant_id' },
    /only plain functions, .* got editDistance\(\): .* other reports wait/,
  ],
  [
    'replace every match in a caller’s text',
    { parameter: "replaceRegexpAll({search:String}, 'a(.*b)?', '') = status" },
    /only plain functions, .* got replaceRegexpAll\(\)/,
  ],
  [
    'extract every match from a caller’s text',
    { parameter: "has(extractAll({search:String}, 'a(.*b)?'), status)" },
    /only plain functions, .* got extractAll\(\)/,
  ],
  [
    'count every match in a caller’s text',
    { parameter: "countMatches({search:String}, 'a(.*b)?') = merchant_id" },
    /only plain functions, .* got countMatches\(\)/,
  ],
  [
    'split a caller’s text at every match',
    { parameter: "has(splitByRegexp('a(.*b)?', {search:String}), status)" },
    /only plain functions, .* got splitByRegexp\(\)/,
  ],
  [
    'replace every match in a caller’s list',
    { parameter: `has(arrayMap(x -> replaceRegexpAll(x, 'a(.*b)?', ''), ${LIST}), status)` },
    /got another in arrayMap\(\)/,
  ],
  [
    'call such a function under a name',
    {
      parameter:
        '1 IN (WITH {search:String} AS one, lower(one) AS two SELECT ngramDistance(one, two) FROM transactions)',
    },
    /got ngramDistance\(\)/,
  ],
  [
    'search one value of a caller in another',
    { parameter: `position({search:String}, lower({search:String})) = merchant_id` },
    /at most one caller's value .* got 2 in position\(\)/,
  ],
  [
    'compare two lists of a caller',
    { parameter: `hasAll(${LIST}, ${LIST}) OR merchant_id = 1` },
    /got 2 in hasAll\(\)/,
  ],
  [
    'compute a long list by whether a column is in an empty list',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + (merchant_id IN ()))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by whether a column is in an empty array',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + (merchant_id IN []))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by whether a column is in a list of NULL',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + (currency IN (NULL)))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by whether a column is in a list that may be empty',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + (currency NOT IN (splitByChar(',', ''))))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by what an empty array has of a column',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + length(arrayIntersect([currency], [])))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by the length of a fixed text',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + length(toFixedString(currency, 3)))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by the length of a fixed text of a conversion',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + length(CAST(currency, 'FixedString(3)')))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by a sum with NULL',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + ifNull(plus(merchant_id, NULL), 1))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by a sum with what is always NULL',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + ifNull(plus(merchant_id, if(merchant_id = 1, NULL, NULL)), 1))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by whether the type of a column has NULL',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + isNullable(email))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list by the names of a tuple',
    {
      condition: `merchant_id = arraySum(arrayMap(x -> sipHash64(x), range(20000000 + length(tupleNames((merchant_id, status))))))`,
    },
    /got another in arrayMap\(\)/,
  ],
  [
    'compute a long list of a column that a constant replaces',
    {
      condition: `merchant_id IN (
        SELECT arraySum(arrayMap(x -> sipHash64(x), range(merchant_id)))
        FROM (SELECT * REPLACE (20000000 AS merchant_id) FROM transactions))`,
    },
    /got another in arrayMap\(\)/,
  ],
]
