import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineChunk } from '../../src/engine/engine.ts'
import type { SelectedColumn } from '../../src/formats/format.ts'
import { ControlTotals } from '../../src/report/control-totals.ts'
import { countTurns } from '../kit/count-turns.ts'
import { openScratchEngine, type ScratchLedger } from '../kit/scratch-ledger.ts'

let scratch: ScratchLedger
beforeAll(async () => {
  scratch = await openScratchEngine()
})
afterAll(async () => await scratch.close())

const CURRENCY = "['EUR', 'JPY', 'BHD', '', 'GOLD'][1 + number % 5]"
const AMOUNT = `multiIf(
  number % 7 = 0, NULL,
  number % 11 = 0, toDecimal128('-9999999999999999.9999', 4),
  number % 13 = 0, toDecimal128('9876543210987654321098765432.1234', 4),
  toDecimal128(number, 4) / 8 - 3)`
const COLUMNS = [
  { kind: 'id', sql: 'number' },
  { kind: 'money', sql: AMOUNT, currencySql: CURRENCY },
  { kind: 'money', sql: 'toDecimal64(number, 2)', currencySql: `toLowCardinality(${CURRENCY})` },
  { kind: 'money', sql: 'toDecimal64(number, 2)' },
] as const
const TITLES = ['Id', 'Amount', 'Fee', 'Without a currency']
// Lengths of one, two and three bytes.
const TEXT = "concat('\\0', toString(number), repeat('é\\n', if(number = 99, 9000, number % 90)))"

/** Reads texts and totals from the engine's bytes. `cut` cuts them into chunks. */
async function read(bytes: Buffer, cut: (bytes: Buffer) => readonly Buffer[]) {
  const controlTotals = new ControlTotals(COLUMNS, TITLES)
  let texts = ''
  for await (const piece of controlTotals.read(chunksOf(cut(bytes)))) {
    texts += Buffer.from(piece.bytes).toString('latin1')
  }
  return { texts, totals: controlTotals.totals() }
}

/** Has the engine select the texts of numbered rows, and what the totals need. */
async function selectRows(
  rows: number,
  columns: readonly SelectedColumn[] = COLUMNS,
): Promise<Buffer> {
  const row = new ControlTotals(columns, TITLES).rowSql(TEXT)
  return await engineBytes(`SELECT ${row} AS _row FROM numbers(${rows}) ORDER BY number`, 'RawBLOB')
}

async function engineBytes(sql: string, format: 'RawBLOB' | 'JSONEachRow') {
  const settings = { max_block_size: 100 }
  const query = { sql, parameters: {}, settings, format, role: 'owner' } as const
  const chunks: Uint8Array[] = []
  const stream = await scratch.engine.stream(query, new AbortController().signal)
  for await (const { bytes } of stream) chunks.push(bytes)
  return Buffer.concat(chunks)
}

async function* chunksOf(pieces: readonly Buffer[]): AsyncGenerator<EngineChunk, void> {
  // Each chunk has its own memory, because the reader of the texts may give it away.
  for (const piece of pieces) yield { bytes: Uint8Array.from(piece), rows: 1 }
}

function inPieces(length: number): (bytes: Buffer) => readonly Buffer[] {
  return (bytes) => {
    const count = Math.ceil(bytes.length / length)
    return Array.from({ length: count }, (_, index) =>
      bytes.subarray(index * length, (index + 1) * length),
    )
  }
}

/** The sums of the same rows, which the engine makes itself. */
async function expectedTotals(rows: number) {
  const sumsOf = (column: string, amount: string) => `
    SELECT '${column}' AS column, ${CURRENCY} AS currency, toUInt32(count(amount)) AS amounts,
      replaceRegexpOne(toDecimalString(sum(${amount} AS amount), 4), '0$', '') AS sum
    FROM numbers(${rows}) GROUP BY currency HAVING amounts > 0 ORDER BY currency`
  const lines = await Promise.all(
    [sumsOf('Amount', AMOUNT), sumsOf('Fee', 'toDecimal64(number, 2)')].map(async (sql) =>
      (await engineBytes(sql, 'JSONEachRow')).toString().trim().split('\n'),
    ),
  )
  return lines.flat().map((line): unknown => JSON.parse(line))
}

test.each([
  ['whole', (bytes: Buffer) => [bytes]],
  ['in pieces of 13 bytes', inPieces(13)],
  ['in pieces of 1,021 bytes', inPieces(1021)],
])('reads texts and sums of a result that arrives %s', async (_, cut) => {
  const rows = 1_234
  const { texts, totals } = await read(await selectRows(rows), cut)
  const expected = await engineBytes(
    `SELECT ${TEXT} AS _row FROM numbers(${rows}) ORDER BY number`,
    'RawBLOB',
  )
  expect(texts).toBe(expected.toString('latin1'))
  expect(totals).toEqual(await expectedTotals(rows))
})

test('reads a result that is cut in two, at each of its bytes', async () => {
  const bytes = await selectRows(12)
  const whole = await read(bytes, () => [bytes])
  for (let at = 1; at < bytes.length; at += 1) {
    const cut = () => [bytes.subarray(0, at), bytes.subarray(at)]
    expect(await read(bytes, cut)).toEqual(whole)
  }
})

test('lets others have their turn while it reads a large chunk', async () => {
  const rows = await selectRows(20_000)
  const bytes = Buffer.concat(Array.from({ length: 40 }, () => rows))
  const controlTotals = new ControlTotals(COLUMNS, TITLES)
  const turns = await countTurns(async () => {
    for await (const _ of controlTotals.read(chunksOf([bytes])));
  })
  expect(turns).toBeGreaterThan(3)
})

test('refuses a result that ends inside a row', async () => {
  const bytes = await selectRows(1)
  const cutAt = (end: number) => read(bytes, () => [bytes.subarray(0, end)])
  for (let end = 1; end < bytes.length; end += 1) {
    await expect(cutAt(end)).rejects.toThrow('inside a row')
  }
  await expect(cutAt(bytes.length)).resolves.toMatchObject({ totals: [{ column: 'Fee' }] })
})

test('gives no totals for rows of more currencies than a run records', async () => {
  const columns = [{ kind: 'money', sql: '1.25::Decimal(9, 2)', currencySql: 'number' }] as const
  const totalsOf = async (rows: number) => {
    const controlTotals = new ControlTotals(columns, ['Amount'])
    for await (const _ of controlTotals.read(chunksOf([await selectRows(rows, columns)])));
    return controlTotals.totals()
  }
  expect(await totalsOf(1_000)).toHaveLength(1_000)
  expect(await totalsOf(1_001)).toBeUndefined()
})

test('leaves rows without amounts as they are', () => {
  const controlTotals = new ControlTotals(COLUMNS.slice(0, 1), TITLES)
  expect(controlTotals.rowSql(TEXT)).toBe(TEXT)
  expect(controlTotals.totals()).toEqual([])
})
