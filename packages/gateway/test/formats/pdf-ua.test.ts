import { describe, expect, test } from 'vitest'
import type { FileColumn } from '../../src/formats/columns.ts'
import type { ReportFile } from '../../src/formats/format.ts'
import { pdf } from '../../src/formats/pdf/pdf.ts'
import { LIST, parameters } from '../kit/ask.ts'
import { HARD_TEXTS } from '../kit/hard-texts.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { checkPdfUa } from '../kit/pdf-ua/check-pdf-ua.ts'
import { reportFile } from '../kit/report-file.ts'
import { checkReport, gateway, OCTOBER, testRows } from './pdf-ua.cases.ts'

describe('a PDF of the gateway keeps the rules of PDF/UA-1', () => {
  // The long test reads every report.
  testRows(['daily-totals', 'settlement-statement', 'transactions-list'])

  test.each(['daily-totals', 'settlement-statement', 'transactions-list'])(
    'without a row of %s',
    async (reportIdentifier) => {
      const period = parameters({ dateFrom: '2030-01-01', dateTo: '2030-01-02' })
      expect(await checkReport({ reportIdentifier, ...period })).toEqual({ faults: [], pages: 1 })
    },
  )

  test('with only totals', async () => {
    const totals = parameters({ totals: 'only' }).inputReportParameters
    const request = { ...LIST, ...OCTOBER, configurationReportParameters: totals }
    expect((await checkReport(request)).faults).toEqual([])
  })

  test('with texts of other scripts, from right to left, and longer than a page', async () => {
    const day = { dateFrom: '2026-11-02', dateTo: '2026-11-03' }
    const rows = HARD_TEXTS.map((description, index) => ({
      id: 9_223_372_036_854_771_000n + BigInt(index),
      createdAt: `2026-11-02 12:00:00.${String(index).padStart(3, '0')}`,
      description,
    }))
    await insertRows(gateway.engine, rows)
    const asked = { ...LIST, ...parameters(day), outputReportParameters: ['Order_description'] }
    expect((await checkReport(asked)).faults).toEqual([])
  })
})

const COLUMNS: readonly FileColumn[] = [
  { title: 'Merchant', kind: 'text' },
  { title: 'Amount', kind: 'money' },
]

/** Writes a PDF without a gateway. */
async function fileOf(
  rows: readonly (readonly string[])[],
  change: Partial<ReportFile> = {},
): Promise<Buffer> {
  const chunks = async function* () {
    const records = rows.map((row) => `${row.join('\x1f')}\x1e`)
    yield { bytes: Buffer.from(records.join('')), rows: rows.length }
  }
  const pieces: Uint8Array[] = []
  const file = { ...reportFile(COLUMNS), ...change }
  for await (const { bytes } of pdf.plan(file).write(chunks())) pieces.push(bytes)
  return Buffer.concat(pieces)
}

describe('a PDF keeps the rules of PDF/UA-1', () => {
  const { about } = reportFile(COLUMNS)

  test('with facts that fill the first page', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `name ${index}`)
    const filled = {
      ...about,
      parameters: Object.fromEntries(names.map((name) => [name, 'value'])),
    }
    expect(checkPdfUa(await fileOf([], { about: filled }))).toEqual([])
  })

  test('with a title from right to left, and characters that no text has', async () => {
    const changed = {
      ...about,
      title: 'مرحبا <بالعالم> & "more"',
      parameters: { note: 'zero \0, mark \ufeff, none \ufffe \uffff, bell \u0007' },
    }
    const rows = [['zero \0 \ufeff \ufffe \uffff \u{1fffe} \ud800 漢', '1.50']]
    expect(checkPdfUa(await fileOf(rows, { about: changed }))).toEqual([])
  })

  test('with a row that is longer than a page, in a table of two lines for each row', async () => {
    const columns = Array.from({ length: 60 }, (_, index) => {
      return { title: `Column ${index}`, kind: 'text' } as const
    })
    const row = columns.map((_, index) => 'long text\n'.repeat(index === 30 ? 200 : 2))
    expect(checkPdfUa(await fileOf([row, row], { columns }))).toEqual([])
  })

  test('with totals that go on to a further page', async () => {
    const sums = {
      by: [{ title: 'Currency', kind: 'text', sql: 'currency' }],
      columns: [{ title: 'Amount', kind: 'money', sql: 'amount' }],
    } as const
    const rows = Array.from({ length: 100 }, (_, index) => {
      return ['a', '1', `group ${index}`, '2', '1']
    })
    expect(checkPdfUa(await fileOf(rows, { sums }))).toEqual([])
  })
})
