import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkPlanted, faultsOf, type PlantedSql, writePlanted } from '../kit/planted-report.ts'
import { openScratchLedger, type ScratchLedger } from '../kit/scratch-ledger.ts'
import { LIST, WORK_WITHOUT_COLUMN } from './planted-work.cases.ts'

let ledger: ScratchLedger
beforeAll(async () => {
  ledger = await openScratchLedger()
})
afterAll(async () => await ledger.close())

describe('an expression without a column may not', () => {
  test.each(WORK_WITHOUT_COLUMN)('%s', async (_, sql, hint) => {
    const faults = await faultsOf(ledger, sql)
    expect(faults).not.toEqual([])
    for (const fault of faults) expect(fault).toMatch(/^own: /)
    expect(faults.join('\n')).toMatch(hint)
  })

  test('so a heavy one is refused before the engine computes it', async () => {
    const heavy = 'arraySum(arrayMap(x -> sipHash64(x), range(20000000)))'
    const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = process.cpuUsage()
      await work()
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const computed = await cpuOf(() => ledger.engine.execute(`SELECT ${heavy}`))
    const refused = await cpuOf(async () => {
      expect(await faultsOf(ledger, { condition: `merchant_id = ${heavy}` })).not.toEqual([])
    })
    // The time by the clock would depend on what else the machine does.
    expect(refused).toBeLessThan(computed / 2)
  })
})

describe('a caller chooses no layout and no length:', () => {
  test.each<[string, PlantedSql, RegExp]>([
    ['printf', { parameter: "printf({search:String}, status) != ''" }, /in printf\(\) a layout/],
    ['format', { parameter: "format({search:String}, status) != ''" }, /in format\(\) a layout/],
    ['formatRow', { parameter: "formatRow({search:String}, status) != ''" }, /a layout/],
    [
      'a path into JSON',
      { parameter: 'JSON_EXISTS(merchant_data, {search:String}) OR merchant_id = 1' },
      /in JSON_EXISTS\(\) texts that are written out/,
    ],
    ['a layout of a column', { column: 'printf(order_description, 1)' }, /in printf\(\) a layout/],
    [
      'a layout under a name',
      {
        parameter:
          'status IN (WITH {search:String} AS one SELECT printf(one, status) FROM transactions)',
      },
      /in printf\(\) a layout that the file writes out/,
    ],
    [
      'an element of a tuple',
      { parameter: '(1, amount).1 = tupleElement((1, 2), {search:String})' },
      /the name of an element/,
    ],
    [
      'a subcolumn',
      { parameter: 'getSubcolumn(email, {search:String}) = 1' },
      /in getSubcolumn\(\)/,
    ],
    [
      'repeat',
      { parameter: "repeat(status, toUInt32({search:String})) != ''" },
      /in repeat\(\) a length that the file limits, .* got a caller's value/,
    ],
    [
      'leftPad',
      { parameter: "leftPad(status, toUInt32({search:String})) != ''" },
      /in leftPad\(\)/,
    ],
    [
      'range',
      { parameter: 'has(range(merchant_id, toUInt32({search:String})), 1)' },
      /in range\(\)/,
    ],
    [
      'space',
      { parameter: "concat(status, space(toUInt32({search:String}))) != ''" },
      /in space\(\)/,
    ],
    [
      'toFixedString',
      { parameter: "toFixedString(status, toUInt32({search:String})) != ''" },
      /in toFixedString\(\)/,
    ],
    [
      'a length below zero',
      { parameter: "repeat('x', toUInt32(least(toInt32({search:String}), 100))) != ''" },
      /in repeat\(\)/,
    ],
    [
      'a length of an element',
      { parameter: `has(arrayMap(n -> repeat(status, toUInt32(n)), ${LIST}), 'x')` },
      /in repeat\(\)/,
    ],
    [
      'a length under a name',
      {
        parameter:
          '[1] IN (WITH toUInt32OrZero({search:String}) AS most SELECT arrayResize([merchant_id], most) FROM transactions)',
      },
      /in arrayResize\(\)/,
    ],
  ])('%s', async (_, sql, hint) => {
    expect((await faultsOf(ledger, sql)).join('\n')).toMatch(hint)
  })
})

test.each([
  'jaroSimilarity(repeat(status, 8000), repeat(status, 8000)) = 1',
  'jaroWinklerSimilarity(order_description, {search:String}) = 1',
  'damerauLevenshteinDistance(order_description, {search:String}) < 2',
  'arrayLevenshteinDistance(range(merchant_id), range(merchant_id)) = 1',
  'arraySimilarity([status], [currency], [1], [1]) = 1',
  "base58Encode(concat(status, {search:String})) = ''",
  "tryBase58Decode(concat(status, {search:String})) = ''",
  "normalizeUTF8NFC(concat(status, {search:String})) = ''",
  'highlightQuery(concat(status, {search:String})) = []',
  "formatQueryOrNull(order_description) = ''",
])('refuses a function that no time limit ends: %s', async (parameter) => {
  expect((await faultsOf(ledger, { parameter })).join('\n')).toMatch(
    /^own: functions that end at the time limit, such as editDistance\(\), got \w+\(\)$/m,
  )
})

describe('a caller chooses no pattern:', () => {
  test.each<[string, string]>([
    ['match()', 'match(status, {search:String})'],
    ['match()', `arrayExists(p -> match(order_description, p), ${LIST})`],
    ['match()', `has(arrayFilter(p -> match('approved', p), ${LIST}), status)`],
    ['match()', "match('approved', {search:String}) OR merchant_id = 1"],
    ['match()', "match(status, concat('^', {search:String}))"],
    // A merchant may have written the column.
    ['match()', 'match(status, order_description)'],
    ['multiMatchAny()', `multiMatchAny(status, ${LIST})`],
    ['extract()', "extract(status, {search:String}) != ''"],
    ['extractAll()', "extractAll(status, {search:String}) != ['']"],
    ['replaceRegexpOne()', "replaceRegexpOne(status, {search:String}, '') != ''"],
    ['REGEXP_REPLACE()', "REGEXP_REPLACE(status, {search:String}, '') != ''"],
    ['regexpExtract()', "regexpExtract(status, {search:String}, 1) != ''"],
    ['countMatches()', 'countMatches(status, {search:String}) > 1'],
    ['splitByRegexp()', "splitByRegexp({search:String}, status) != ['']"],
    ['match()', 'status REGEXP {search:String}'],
    ['like()', 'order_description LIKE {search:String}'],
    ['like()', "order_description LIKE concat('%', lower({search:String}), '%')"],
    ['like()', `arrayExists(p -> order_description LIKE p, ${LIST})`],
    ['ilike()', 'order_description ILIKE {search:String}'],
    ['notLike()', 'order_description NOT LIKE {search:String}'],
    ['notILike()', 'notILike(order_description, {search:String})'],
    ['mapContainsKeyLike()', 'mapContainsKeyLike(map(status, 1), {search:String})'],
    ['mapExtractValueLike()', 'empty(mapExtractValueLike(map(1, status), {search:String}))'],
    // A search without regard to case takes seconds for a text of 40,000 characters.
    ['positionCaseInsensitive()', 'positionCaseInsensitive(status, {search:String}) > 0'],
    ['positionCaseInsensitiveUTF8()', 'positionCaseInsensitiveUTF8(status, {search:String}) > 0'],
    [
      'countSubstringsCaseInsensitive()',
      'countSubstringsCaseInsensitive(status, {search:String}) > 0',
    ],
    ['multiSearchAnyCaseInsensitive()', `multiSearchAnyCaseInsensitive(status, ${LIST})`],
  ])('%s in %s', async (name, parameter) => {
    expect((await faultsOf(ledger, { parameter })).join('\n')).toContain(
      `in ${name} a pattern that the file writes out, got another: position() and startsWith()`,
    )
  })
})

test.each<[PlantedSql]>([
  [{ parameter: `has(arrayMap(x -> lower(trim(x)), ${LIST}), status)` }],
  [{ parameter: `arrayExists(x -> editDistance(x, status) < 2, ${LIST})` }],
  [{ parameter: "editDistance({search:String}, if(isNull(email), '', email)) < 2" }],
  [{ parameter: "editDistance({search:String}, coalesce(email, phone, '')) < 2" }],
  [{ parameter: "match({search:String}, '^[a-z]+$') AND multiMatchAny(status, ['^a', '^b'])" }],
  [{ parameter: "arrayExists(x -> match(status, x), ['^a', '^b'])" }],
  [{ parameter: 'position(status, {search:String}) > 0 OR startsWith(status, {search:String})' }],
  [
    {
      parameter: "repeat('x', least(greatest(toInt32OrZero({search:String}), 0), 9)) != ''",
    },
  ],
  [{ parameter: "status = replaceAll({search:String}, ' ', '')" }],
  [{ from: 'SELECT * REPLACE (upper(status) AS status) FROM transactions' }],
  [
    {
      column: "arraySort(x -> editDistance(x, status), [email, if(status IN ('a'), phone, NULL)])",
    },
  ],
  [{ column: 'arraySum(arrayMap(x -> sipHash64(x), range(length(status))))' }],
  [{ parameter: "status LIKE '%approved%' OR {search:String} ILIKE 'a%'" }],
  [{ parameter: 'position(lower(status), lower({search:String})) > 0' }],
  [{ parameter: "status = replaceRegexpOne({search:String}, '^0+', '')" }],
  [{ parameter: "status = concat(extract({search:String}, '[a-z]+'), '-')" }],
  [{ column: "replaceRegexpAll(order_description, '[^a-z]', '')" }],
  [{ parameter: "repeat('x', least(length({search:String}), 100)) != ''" }],
  [{ parameter: "repeat('x', least(toUInt32OrZero({search:String}), 100)) != ''" }],
  [{ column: "leftPad(toString(transaction_id), 10, '0')" }],
  [{ parameter: "leftPad(status, 10, {search:String}) = 'x'" }],
  [{ parameter: `hasAny(arrayFilter(x -> x LIKE 'a%', ${LIST}), [status])` }],
  [{ condition: "has(arrayMap(x -> toDate('2026-01-01') + x, range(12)), toDate(created_at))" }],
  [{ column: "printf('%s-%d', status, 1)" }],
  [{ column: 'range(transaction_id)' }],
  [{ column: "JSON_VALUE(assumeNotNull(merchant_data), '$.shop')" }],
  [{ column: "JSONExtractString(merchant_data, 'shop')" }],
  [{ column: 'tuple(merchant_id, status).2' }],
  [{ column: 'count()', group: 'currency' }],
  [{ column: 'sumIf(1, status = currency)', group: 'currency' }],
])('accepts work of a known size: %j', async (sql) => {
  expect(await checkPlanted(ledger, writePlanted(sql))).toEqual([])
})

/** Fails while the check resolves the query, and not for other values of the parameter. */
const FAILS = 'toUInt8({search:String})'
const IS_EXAMPLE = "{search:String} = 'text'"

describe('no branch hides from the check:', () => {
  const BY_NAME = `arrayMap(upper, [toString(${FAILS})])[1]`
  const UNRESOLVED =
    /branches of if\(\) and multiIf\(\) that .* for every value .* got: .* parse string 'text' as UInt8/
  test.each<[string, string]>([
    ['if', `if(${IS_EXAMPLE}, '', ${BY_NAME})`],
    ['if in quotes', `\`if\`(${IS_EXAMPLE}, '', ${BY_NAME})`],
    ['if, with a comment', `if /* ( */ (${IS_EXAMPLE}, '', ${BY_NAME})`],
    ['multiIf', `multiIf(0, 'a', ${IS_EXAMPLE}, '', ${BY_NAME})`],
    ['CASE', `CASE WHEN ${IS_EXAMPLE} THEN '' ELSE ${BY_NAME} END`],
    ['? :', `(${IS_EXAMPLE} ? '' : ${BY_NAME})`],
    ['if in a lambda', `arrayMap(x -> if(${IS_EXAMPLE}, x, ${BY_NAME}), [status])[1]`],
    ['if in if', `if(status = 'x', '', if(NOT (${IS_EXAMPLE}), ${BY_NAME}, ''))`],
  ])('%s', async (_, sql) => {
    const [fault = '', ...others] = await faultsOf(ledger, { parameter: `${sql} = status` })
    expect(fault).toMatch(UNRESOLVED)
    expect(others).toEqual([])
  })

  test('a fault in a branch that no value reaches is found', async () => {
    const sql = `if(${IS_EXAMPLE}, '', tuple(status, 1).3) = status`
    expect((await faultsOf(ledger, { parameter: sql })).join()).toMatch(/^own: branches of if\(\)/)
  })

  test.each([
    `if(${IS_EXAMPLE}, 0, toUInt8OrZero({search:String})) = 1`,
    `toHour(if(${IS_EXAMPLE}, toStartOfDay(created_at, 'UTC'), toStartOfHour(created_at, 'UTC'))) = 1`,
    `round(amount, if(${IS_EXAMPLE}, 2, 3)) = CASE WHEN ${IS_EXAMPLE} THEN 1 ELSE 2 END`,
    `(${IS_EXAMPLE} ? 'if (' : 'multiIf(') = status`,
    `multiIf(${IS_EXAMPLE}, 'a', {search:String} = 'b', 'b', 'c') = status`,
  ])('but a branch that the engine resolves is accepted: %s', async (parameter) => {
    expect(await checkPlanted(ledger, writePlanted({ parameter }))).toEqual([])
  })
})
