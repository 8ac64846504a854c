import { readXlsx } from 'hucre/xlsx'
import { describe, expect, test } from 'vitest'
import type { EngineChunk } from '../../../engine/src/engine/engine.ts'
import { countTurns } from '../../../gateway/test/kit/count-turns.ts'
import { reportFile } from '../../../gateway/test/kit/report-file.ts'
import { writeWorkbook } from './write-workbook.ts'

const FILE = reportFile(
  [
    { title: 'Text', kind: 'text' },
    { title: 'Amount', kind: 'money' },
  ],
  {
    title: 'Sales & "more"',
    name: 'May',
    identifier: 'sales',
    login: 'someone',
    timezone: 'Europe/Berlin',
    parameters: {
      dateFrom: '2026-04-30 22:00:00.000',
      dateTo: '2026-05-31 22:00:00.000',
      statuses: ['approved', 'declined'],
      timezone: 'Europe/Berlin',
    },
    filters: { currencies: ['EUR', '<b>'] },
    madeAt: Date.UTC(2026, 6, 1, 10),
    runId: 'run-1',
  },
  {
    sums: {
      by: [{ title: 'Currency', kind: 'text', sql: 'currency' }],
      columns: [{ title: 'Amount', kind: 'money', sql: 'amount' }],
    },
  },
)
const NO_LIMITS = { rowsMax: 1_048_575, bytesMax: 2 ** 32 }

function cell(text: string): string {
  return `<c s="2" t="inlineStr"><is><t>${text}</t></is></c>`
}

/** A record as the engine sends it, with an amount in ten thousandths. */
function record(text: string, units: string, currency = 'EUR'): string {
  return `<row>${cell(text)}<c s="5"><v>1</v></c></row>\x1f${cell(currency)}\x1f2\x1f${units}\x1e`
}

async function* chunksOf(text: string, length = text.length): AsyncGenerator<EngineChunk, void> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += length) {
    yield { bytes: Uint8Array.from(bytes.subarray(at, at + length)), rows: 0 }
  }
}

async function writeFile(
  text: string,
  { file = FILE, limits = NO_LIMITS, length = text.length || 1 } = {},
): Promise<{ readonly bytes: Buffer; readonly rows: number }> {
  const pieces: Uint8Array[] = []
  let rows = 0
  for await (const piece of writeWorkbook(file, chunksOf(text, length), limits)) {
    pieces.push(piece.bytes)
    rows += piece.rows
  }
  return { bytes: Buffer.concat(pieces), rows }
}

async function sheetsOf(...args: Parameters<typeof writeFile>) {
  const { sheets } = await readXlsx((await writeFile(...args)).bytes, { readStyles: true })
  const about = new Map(sheets.at(-1)?.rows.map(([label, ...values]) => [label, values]))
  return { sheets: sheets.slice(0, -1), about, aboutRows: sheets.at(-1)?.rows ?? [] }
}

const SEVEN = Array.from({ length: 7 }, (_, index) => record(`row ${index}`, '10000')).join('')

describe('rows', () => {
  test('go on in a further sheet with its own header, filter and frozen row', async () => {
    const { sheets, about } = await sheetsOf(SEVEN, { limits: { ...NO_LIMITS, rowsMax: 3 } })
    expect(sheets.map(({ name }) => name)).toEqual([
      'Sales & "more"',
      'Sales & "more" 2',
      'Sales & "more" 3',
    ])
    expect(sheets.map(({ rows }) => rows.map(([text]) => text))).toEqual([
      ['Text', 'row 0', 'row 1', 'row 2'],
      ['Text', 'row 3', 'row 4', 'row 5'],
      ['Text', 'row 6'],
    ])
    expect(sheets.map(({ autoFilter }) => autoFilter?.range)).toEqual(['A1:B4', 'A1:B4', 'A1:B2'])
    expect(sheets.map(({ freezePane }) => freezePane)).toEqual(sheets.map(() => ({ rows: 1 })))
    expect(about.get('Rows')?.[0]).toBe(7)
    expect(about.get('Sheets of rows')?.[0]).toBe(3)
  })

  test('go on in a further sheet before one takes more bytes than an entry may have', async () => {
    const bytesMax = 2 * (record('row 0', '').indexOf('\x1f') + 10)
    const { sheets } = await sheetsOf(SEVEN, { limits: { ...NO_LIMITS, bytesMax } })
    expect(sheets.map(({ rows }) => rows.length - 1)).toEqual([2, 2, 2, 1])
  })

  test('give the same bytes and count, wherever the engine cuts its chunks', async () => {
    const hard = `\x1d${Buffer.from('\x01 & _x0001_').toString('hex').toUpperCase()}\x1d`
    const hardRow = `<row><c s="2" t="inlineStr"><is>${hard}</is></c><c/></row>\x1f${cell('EUR')}\x1f2\x1f\x1e`
    const text = SEVEN + hardRow + record('späť 😀', '-1')
    const limits = { ...NO_LIMITS, rowsMax: 4 }
    const expected = await writeFile(text, { limits })
    expect(expected.rows).toBe(9)
    for (const length of [1, 2, 3, 100, 1000]) {
      expect(await writeFile(text, { limits, length })).toEqual(expected)
    }
    const { sheets } = await sheetsOf(text, { limits })
    expect(sheets[1]?.rows.at(-1)?.[0]).toBe('\x01 & _x0001_')
    expect(sheets[2]?.rows.at(-1)?.[0]).toBe('späť 😀')
  })

  test('with long texts let others have their turn', async () => {
    const hex = Buffer.from('ب'.repeat(49_152)).toString('hex').toUpperCase()
    const row = `<row><c s="1" t="inlineStr"><is>\x1d${hex}\x1d</is></c></row>\x1e`
    const file = { ...FILE, sums: undefined }
    const turns = await countTurns(async () => {
      expect((await writeFile(row.repeat(100), { file })).rows).toBe(100)
    })
    expect(turns).toBeGreaterThan(5)
  })

  test('that end inside a record end the file with an error', async () => {
    await expect(writeFile(`${SEVEN}<row>`)).rejects.toThrow('The result ended inside a record.')
  })

  test('that fail after many others end the file with an error', async () => {
    const failing = async function* (): AsyncGenerator<EngineChunk, void> {
      yield* chunksOf(SEVEN.repeat(20_000), 1_000_000)
      throw new Error('The engine failed.')
    }
    const reading = async (): Promise<void> => {
      for await (const _ of writeWorkbook(FILE, failing()));
    }
    await expect(reading()).rejects.toThrow('The engine failed.')
  })

  test('end with the reader', async () => {
    let ended = false
    const endless = async function* (): AsyncGenerator<EngineChunk, void> {
      try {
        for (;;) yield* chunksOf(SEVEN)
      } finally {
        ended = true
      }
    }
    for await (const { bytes } of writeWorkbook(FILE, endless())) {
      if (bytes.length > 0) break
    }
    expect(ended).toBe(true)
  })
})

describe('the sheet about the report', () => {
  test('says what was asked for, in the time zone of the report', async () => {
    const { aboutRows, about } = await sheetsOf(SEVEN)
    expect(aboutRows[0]?.[0]).toBe('Sales & "more"')
    const values = [...about].map(([label, [value]]) => [label, value])
    expect(values.slice(2, 9)).toEqual([
      ['Login', 'someone'],
      ['Period', '2026-05-01 to 2026-05-31'],
      ['Time zone', 'Europe/Berlin'],
      ['Currencies', 'EUR, <b>'],
      ['Statuses', 'approved, declined'],
      ['Made at', '2026-07-01 12:00:00'],
      ['Rows', 7],
    ])
    expect(['Report', 'Name', 'Run'].map((label) => about.get(label)?.[0])).toEqual([
      'sales',
      'May',
      'run-1',
    ])
  })

  test('sums amounts exactly, and writes sums of more than 15 digits as text', async () => {
    const records = [
      record('', '9007199254740993', 'BIG'),
      record('', '9007199254740993', 'BIG'),
      record('', '-1', 'BIG'),
      ...Array.from({ length: 20 }, () => record('', '999999999999999', 'MANY')),
      record('', '', 'NONE'),
      record('', '681100', 'SOME'),
      record('', '', 'SOME'),
      record('', '-000500', 'SOME'),
    ]
    const { about } = await sheetsOf(records.join(''))
    expect(about.get('BIG')).toEqual([3, '1801439850948.1985'])
    expect(about.get('MANY')?.slice(0, 2)).toEqual([20, '1999999999999.998'])
    expect(about.get('NONE')?.slice(0, 2)).toEqual([1, null])
    expect(about.get('SOME')?.slice(0, 2)).toEqual([3, 68.06])
  })

  test('has no more than 10,000 totals', async () => {
    const rows = (count: number): string => {
      return Array.from({ length: count }, (_, index) => record('', '1', `k${index}`)).join('')
    }
    const { about: most } = await sheetsOf(rows(10_000))
    expect(most.get('k9999')?.slice(0, 2)).toEqual([1, 0.0001])
    const { aboutRows: more } = await sheetsOf(rows(10_001))
    expect(more.map(([text]) => text)).toContain(
      'The totals are too many. Ask for the report with totals = only.',
    )
  })
})
