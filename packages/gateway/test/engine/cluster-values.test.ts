// @module-tag long

import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { REQUEST_LIMITS } from '@counterfoil/protocol'
import { open, query, read } from '../kit/cluster-kit.ts'
import { READABLE, startClickHouse } from '../kit/clickhouse-server.ts'

const MEBIBYTE = 1024 ** 2

const server = await startClickHouse(READABLE)
afterAll(() => server.remove())

test('eight lists of as many ids as a filter may have, and a query as long as a body, reach the server', async () => {
  const engine = await open([server.url])
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const ids = Array.from(
    { length: REQUEST_LIMITS.filterValuesMax },
    (_, index) => 2_000_000_000 + index,
  )
  const parameters = Object.fromEntries(names.map((name) => [name, ids.join(',')]))
  const lengths = names.map((name) => `length(splitByChar(',', {${name}:String}))`).join(' + ')
  const sql = `SELECT toString(${lengths} + length('${'x'.repeat(LIMITS.bodyBytesMax)}')) AS _row`
  const { text, error } = await read(engine, { ...query(sql), parameters })
  expect(error).toBeUndefined()
  expect(text).toBe(String(8 * REQUEST_LIMITS.filterValuesMax + LIMITS.bodyBytesMax))
})

test.each([
  ['ASCII', 'x'],
  ['control characters', '\0'],
  ['three-byte characters', '日'],
  ['pairs of surrogates', 'x😀'],
])('a text of several MiB of %s reaches the server unchanged', async (_, character) => {
  const engine = await open([server.url])
  const text = character.repeat((5 * MEBIBYTE) / character.length)
  const row = z.object({ text: z.string() })
  const sql = 'SELECT {text:String} AS text'
  const [received] = await readRows(engine, row, { sql, parameters: { text } })
  expect(received?.text === text).toBe(true)
})

test('lists of several MiB reach the server unchanged, also behind IN', async () => {
  const engine = await open([server.url])
  const texts = Array.from({ length: 20_000 }, (_, index) => `it's ${index} ${'é'.repeat(100)}`)
  const numbers = Array.from({ length: 200_000 }, (_, index) => 4_000_000_000 - 2 * index)
  const sql = `SELECT {texts:Array(String)} AS texts, {numbers : Array(UInt32)} AS numbers,
    (SELECT count() FROM numbers(10) WHERE toUInt32(4000000000 - number) IN {numbers:Array(UInt32)}) AS found`
  const row = z.object({
    texts: z.array(z.string()),
    numbers: z.array(z.number()),
    found: z.literal('5'),
  })
  const [received] = await readRows(engine, row, { sql, parameters: { texts, numbers } })
  expect(JSON.stringify(received)).toBe(JSON.stringify({ texts, numbers, found: '5' }))
})

test('a query with line breaks of every kind, and with the text of a form, reaches the server unchanged', async () => {
  const engine = await open([server.url])
  const text = '%41+&=\r\n--\r\nContent-Disposition: form-data; name="query"\r\n\r\n é😀'
  const { text: received } = await read(engine, query(`SELECT\r\n'${text}'\n AS\r\n_row`))
  expect(received).toBe(text)
})

test('a statement that holds as many rows as a copy of the ledger sends at a time inserts all of them', async () => {
  const engine = await open([server.url])
  const text = 'é'.repeat(500)
  const count = 33_000
  const rows = Array.from({ length: count }, (_, n) => JSON.stringify({ n, text })).join('\n')
  await engine.execute('CREATE TABLE stated (n UInt32, text String) ENGINE = MergeTree ORDER BY n')
  await engine.execute(`INSERT INTO stated FORMAT JSONEachRow\n${rows}\n`)
  const sql =
    "SELECT concat(toString(count()), ' ', toString(sum(length(text)))) AS _row FROM stated"
  expect((await read(engine, query(sql))).text).toBe(`${count} ${count * 1000}`)
})
