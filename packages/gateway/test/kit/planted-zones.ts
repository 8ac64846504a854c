import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkPlanted, type PlantedSql, writePlanted } from './planted-report.ts'
import { openScratchLedger, type ScratchLedger } from './scratch-ledger.ts'

const BYTES = Buffer.alloc(60_000, 'x')

/** A state of `any` whose value claims to be a time in a zone. */
function stateOf(zone: string): string {
  return Buffer.from(`\x01\x12${String.fromCharCode(zone.length)}${zone}\0\0\0\0`).toString('hex')
}

/** Escapes a text as hexadecimal digits inside the name of a type. */
function hexOf(text: string): string {
  return `x\\'${Buffer.from(text).toString('hex')}\\'`
}

function binaryOf(text: string): string {
  const digits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0'))
  return `b\\'${digits.join('')}\\'`
}

const TYPE = /types of plain words and known zones/
const FILE = /expected the name of a time zone, got one of a file/
const MADE = /texts that are written out, or \{timezone:String\}: .* got /

/**
 * Tests that the engine opens no file for a time zone.
 *
 * @param pick chooses the cases to try
 */
export function describeZones(pick: <Case>(cases: readonly Case[]) => readonly Case[]): void {
  let ledger: ScratchLedger
  let pipe = ''
  beforeAll(async () => {
    ledger = await openScratchLedger()
    pipe = join(ledger.folder, 'pipe')
    execFileSync('mkfifo', [pipe])
  })
  afterAll(async () => await ledger.close())

  /** Runs a check, and counts the bytes that are left in the pipe. An engine that opened the pipe has read some. */
  async function checkBesidePipe(sql: PlantedSql): Promise<readonly [left: number, string]> {
    const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    try {
      writeSync(descriptor, BYTES)
      const faults = await checkPlanted(ledger, writePlanted(sql))
      return [readSync(descriptor, Buffer.alloc(BYTES.length)), faults.join('\n')]
    } finally {
      closeSync(descriptor)
    }
  }

  test.each(
    pick<[string, (zone: string) => PlantedSql, RegExp]>([
      ['a constant', (zone) => ({ column: `toTimeZone(created_at, '${zone}')` }), FILE],
      ['days', (zone) => ({ column: `addDays(created_at, 1, '${zone}')` }), FILE],
      ['a type', (zone) => ({ column: `created_at::DateTime('${zone}')` }), FILE],
      [
        'a type that is escaped',
        (zone) => ({
          column: `CAST(1, 'DateTime(\\'${zone.replace('f', String.raw`\\x66`)}\\')')`,
        }),
        FILE,
      ],
      [
        'a placeholder',
        (zone) => ({ column: `{now /* { */ :DateTime('${zone}')}` }),
        /expected \{now:DateTime64\(3, 'UTC'\)\}, got/,
      ],
      [
        'a text that is put together',
        (zone) => ({ column: `toDate(created_at, concat('fi', '${zone.slice(2)}'))` }),
        /in toDate\(\) texts .* got the function concat\(\)/,
      ],
      [
        'a name',
        (zone) => ({
          from: `WITH 'fi' AS a, concat(a, '${zone.slice(2)}') AS b
          SELECT * FROM (SELECT *, toTimeZone(created_at, b) AS c FROM transactions)`,
        }),
        /got the name b/,
      ],
      [
        'a tuple that becomes arguments',
        (zone) => ({
          column: `toString(untuple((toDateTime(0), concat('fi', '${zone.slice(2)}'))))`,
        }),
        /got the function untuple\(\)/,
      ],
      [
        'columns that become arguments',
        (zone) => ({
          from: `SELECT *, toString(t.* REPLACE (concat('fi', '${zone.slice(2)}') AS b))
          FROM (SELECT *, settled_at AS a, status AS b FROM transactions) AS t`,
        }),
        /in toString\(\) columns by their names, got \*/,
      ],
      [
        'a lambda with a name',
        (zone) => ({
          from: `WITH z -> toTimeZone(created_at, z) AS upper
          SELECT *, upper(concat('fi', '${zone.slice(2)}')) AS c FROM transactions`,
        }),
        /a lambda where it is used, got one with the name upper/,
      ],
      [
        'the bytes of a state',
        (zone) => ({
          column: `finalizeAggregation(CAST(unhex('${stateOf(zone)}'), 'AggregateFunction(any, Dynamic)'))`,
        }),
        /got the type of a state: AggregateFunction/,
      ],
    ]),
  )('of %s', async (_, write, fault) => {
    const [left, faults] = await checkBesidePipe(write(`file:${pipe}`))
    expect(faults).toMatch(fault)
    expect(left).toBe(BYTES.length)
  })

  test.each(
    pick<[string, (type: string) => PlantedSql]>([
      ['CAST', (type) => ({ column: `CAST(created_at, '${type}')` })],
      ['CAST to one of several', (type) => ({ column: `CAST(1, 'Variant(${type}, String)')` })],
      ['CAST to JSON', (type) => ({ column: `CAST('{}', 'JSON(a ${type})').a IS NULL` })],
      ['JSONExtract', (type) => ({ column: `JSONExtract('1', '${type}')` })],
      [
        'JSONExtractKeysAndValues',
        (type) => ({ column: `JSONExtractKeysAndValues('{}', '${type}')` }),
      ],
      ['accurateCastOrNull', (type) => ({ column: `accurateCastOrNull(1, '${type}')` })],
      ['reinterpret', (type) => ({ column: `reinterpret(1::UInt32, '${type}')` })],
      ['dynamicElement', (type) => ({ column: `dynamicElement(CAST(1, 'Dynamic'), '${type}')` })],
      ['getSubcolumn', (type) => ({ column: `getSubcolumn('{}'::JSON, 'a.:\`${type}\`')` })],
      ['tupleElement', (type) => ({ column: `tupleElement('{}'::JSON, 'a.:\`${type}\`')` })],
      [
        'a name',
        (type) => ({ from: `WITH '${type}' AS a SELECT *, CAST(status, a) FROM transactions` }),
      ],
      [
        'a name inside a function of texts',
        (type) => ({ from: `SELECT *, concat('${type}' AS a, ''), CAST(1, a) FROM transactions` }),
      ],
    ]),
  )('of a type in digits for %s', async (_, write) => {
    const zone = `file:${pipe}`
    for (const written of [hexOf(zone), binaryOf(zone)]) {
      const [left, faults] = await checkBesidePipe(write(`DateTime(${written})`))
      expect(faults).toMatch(TYPE)
      expect(left).toBe(BYTES.length)
    }
  })

  test('of a type with a quoted name', async () => {
    const column = `CAST(created_at, '\`Date\\\\x54ime\`(\\'file:${pipe}\\')')`
    const [left, faults] = await checkBesidePipe({ column })
    expect(faults).toMatch(TYPE)
    expect(left).toBe(BYTES.length)
  })

  test.each(
    pick(
      ['', 'OrNull', 'OrZero'].flatMap((end) => [
        `parseDateTimeInJodaSyntax${end}`,
        `parseDateTime64InJodaSyntax${end}`,
      ]),
    ),
  )('of the text of a time in %s', async (name) => {
    const column = `toString(${name}('2026-10-01 12:00 file:${pipe}', 'yyyy-MM-dd HH:mm z'))`
    const [left, faults] = await checkBesidePipe({ column })
    expect(faults).toContain(name)
    expect(left).toBe(BYTES.length)
  })

  test.each(
    pick<[PlantedSql, RegExp]>([
      [
        {
          parameter:
            "unhex(concat({search:String}, substring(client_order_id, 1, 0))) IN (SELECT anyState(CAST(created_at, 'Dynamic')) FROM transactions)",
        },
        /got the function anyState\(\)/,
      ],
      [
        {
          from: "SELECT *, anyIfState(d, 1) OVER () AS s FROM (SELECT *, CAST(created_at, 'Dynamic') AS d FROM transactions)",
        },
        /got the function anyIfState\(\)/,
      ],
      [
        {
          column: 'CAST(unhex(order_description), toTypeName(bitmapBuild([1]))) IS NULL',
        },
        /got the function toTypeName\(\)/,
      ],
      [
        { column: 'finalizeAggregation(bitmapBuild([toUInt8(1)]))' },
        /got the function finalizeAggregation\(\)/,
      ],
      [
        { column: 'unhex(status) IN (SELECT bitmapBuild([toUInt8(1)]))' },
        /function bitmapBuild\(\)/,
      ],
      [{ column: 'groupBitmap(merchant_id)', group: 'status' }, /function groupBitmap\(\)/],
      [
        { column: 'unhex(status) IN (SELECT numericIndexedVectorBuild(map(1, 2)))' },
        /function numericIndexedVectorBuild\(\)/,
      ],
      [
        { column: 'groupNumericIndexedVector(merchant_id, amount)', group: 'status' },
        /function groupNumericIndexedVector\(\)/,
      ],
      [
        { parameter: "parseDateTimeInJodaSyntaxOrNull({search:String}, 'yyyy z') > created_at" },
        /parseDateTimeInJodaSyntaxOrNull/,
      ],
      [{ parameter: "toString(created_at, {search:String}) != ''" }, /got \{search:String\}/],
      [{ parameter: "toString(created_at, {search/**/:String}) != ''" }, /got \{search:String\}/],
      [{ parameter: "toDate(created_at, if(1, {search:String}, 'UTC')) > 0" }, MADE],
      [{ parameter: 'CAST(amount, {search:String}) IS NOT NULL' }, /in CAST\(\) texts/],
      [{ parameter: "JSONExtract('1', concat('Date', {search:String})) = 1" }, MADE],
      [
        {
          parameter:
            'transaction_id IN (WITH {search:String} AS z SELECT toUInt64(toDateTime(1, z)) FROM transactions)',
        },
        /got the name z/,
      ],
      [
        { column: "if(1, '', arrayMap(toString, [created_at], [status])[toUInt8('x')])" },
        /got the name toString/,
      ],
      [{ column: 'toString(created_at, order_description)' }, /got one that rows may differ in/],
      [
        { column: "arrayMap(z -> formatDateTime(created_at, '%F', z), [status])" },
        /got one that rows may differ in/,
      ],
    ]),
  )('of a caller or a row: %j', async (sql, fault) => {
    expect((await checkPlanted(ledger, writePlanted(sql))).join('\n')).toMatch(fault)
  })

  test.each(
    pick<[PlantedSql]>([
      [{ column: "toString(created_at, 'Europe/Berlin')" }],
      [{ column: "dateDiff('day', created_at, settled_at, {timezone:String})" }],
      [{ column: "formatDateTime(toTimeZone(created_at, {timezone:String}), '%Y-%m')" }],
      [{ column: "CAST(round(if(status = 'approved', amount, 0), 3), 'Decimal(38, 3)')" }],
      [{ column: "toStartOfInterval(created_at, INTERVAL 1 HOUR, 'UTC')" }],
      [{ column: "CAST(created_at, 'Nullable(DateTime64(3, \\'Europe/Berlin\\'))')" }],
      [{ column: "concat('a (b!)', if(match(status, '^(a|b)$'), 'c (d!)', ''))" }],
      [{ column: "CASE status WHEN 'a (b!)' THEN 'c (d!)' ELSE '(%)' END" }],
      [{ column: "formatDateTime(created_at, '%m/%d/%Y (%H:%i)')" }],
      [{ column: "printf('%s (%s)', status, currency)" }],
      [{ parameter: 'editDistance(status, {search:String}) < 2' }],
      [
        {
          parameter:
            'editDistance(status, {search:String}) > ngramDistance({search:String}, status)',
        },
      ],
      [{ parameter: "position(client_order_id, concat('%', {search:String}, '%')) > 0" }],
      [{ parameter: "has(splitByChar(',', {search:String}), status)" }],
      [{ parameter: 'addDays(created_at, toInt32OrZero({search:String})) > settled_at' }],
    ]),
  )('and accepts %j', async (sql) => {
    expect(await checkPlanted(ledger, writePlanted(sql))).toEqual([])
  })
}
