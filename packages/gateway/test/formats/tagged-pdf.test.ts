// @module-tag long

import type { ReportRequest } from '@counterfoil/protocol'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import type { FileColumn, ReportFile } from '../../../formats/src/format/format.ts'
import { pdf } from '../../../formats/src/pdf/pdf.ts'
import { writeRecords } from '../../../formats/test/kit/write-records.ts'
import { ask, LIST, parameters, problemIn } from '../kit/ask.ts'
import { HARD_TEXTS } from '../kit/hard-texts.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { type PdfTags, partsOf, readPdfTags, type TaggedPart } from './read-pdf-tags.ts'
import { reportFile } from '../kit/report-file.ts'
import { serve } from '../kit/running-gateway.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const OCTOBER = parameters({ dateFrom: '2026-10-01', dateTo: '2026-11-01' })

const { sandbox, gateway } = await serveSandbox([2000, EVERY_REPORT])
const { merchant, operator } = sandbox.logins

async function askPdf(request: ReportRequest): Promise<Buffer> {
  const login = request.reportIdentifier === 'order-reconciliation' ? merchant : operator
  const { status, bytes } = await ask(gateway, login, { ...request, reportFormat: 'PDF' })
  expect(status).toBe(200)
  return bytes
}

/** Reads the tags of a document, and checks what PDF/UA-1 asks of every document. */
async function expectTagged(bytes: Uint8Array): Promise<PdfTags> {
  const tags = await readPdfTags(bytes)
  expect(tags).toMatchObject({ isTagged: true, showsTitle: true, language: 'en' })
  expect(tags.keywords).toBeUndefined()
  expect(tags.metadata).toContain('<pdfuaid:part>1</pdfuaid:part>')
  const parts = tags.pages.flatMap(({ parts: [document] }) => document?.parts ?? [])
  const [first, ...others] = parts.filter(({ role }) => role !== 'Table').map(({ role }) => role)
  expect(first).toBe('H1')
  expect(others.filter((role) => role !== 'P' && role !== 'H2')).toEqual([])
  for (const page of tags.pages) {
    expect(page.untagged).toEqual([])
    expect(page.artifacts.join('')).toContain('Page ')
    for (const table of partsOf(page, 'Table')) checkTable(table)
  }
  return tags
}

/** Checks that a table begins with its titles, and that each row has a cell for each title. */
function checkTable({ parts: [header, ...rows] }: TaggedPart): void {
  const titles = header?.parts ?? []
  expect(titles.length).toBeGreaterThan(0)
  for (const { role, scope } of titles) expect([role, scope]).toEqual(['TH', 'Column'])
  const expected = titles.map(() => 'TD')
  for (const row of rows) expect(row.parts.map(({ role }) => role)).toEqual(expected)
}

const partsIn = ({ pages }: PdfTags, role: string) => pages.flatMap((page) => partsOf(page, role))

/** Returns the titles of each table. */
function titlesIn(tags: PdfTags): readonly (string | undefined)[] {
  return partsIn(tags, 'Table').map(({ parts: [header] }) => {
    return header?.parts.map(({ text }) => text).join('|')
  })
}

describe('a reader of tags finds headings, tables, and no text outside of them', () => {
  const identifiers = EVERY_REPORT.map((file) => file.replace('.yaml', ''))

  test.each(identifiers)('with the rows of %s', async (reportIdentifier) => {
    const tags = await expectTagged(await askPdf({ reportIdentifier, ...OCTOBER }))
    expect(partsIn(tags, 'TD').length).toBeGreaterThan(0)
    if (reportIdentifier !== 'settlement-statement') return
    expect(partsIn(tags, 'H2').length).toBeGreaterThan(1)
    expect(titlesIn(tags)).toContain(
      'Holder|Account|Currency|Opening balance|Movements|Closing balance',
    )
    expect(titlesIn(tags)).toContainEqual(expect.stringMatching(/^Day\|Statement\|.+\|Balance$/))
  })

  test('with texts of other scripts, from right to left, and longer than a page', async () => {
    const day = { dateFrom: '2026-11-02', dateTo: '2026-11-03' }
    const rows = HARD_TEXTS.map((description, index) => ({
      id: 9_223_372_036_854_771_000n + BigInt(index),
      createdAt: `2026-11-02 12:00:00.${String(index).padStart(3, '0')}`,
      description,
    }))
    await insertRows(gateway.engine, rows)
    const outputReportParameters = ['Order_description']
    await expectTagged(await askPdf({ ...LIST, ...parameters(day), outputReportParameters }))
  })
})

/** Columns whose values are the same in PDF and CSV. */
const COLUMNS = ['Merchant_Name', 'Transaction_id', 'Created_date', 'Status', 'Order_description']

test('a reader of tags finds the title, and each value of the report in its row', async () => {
  const request = { ...LIST, ...OCTOBER, outputReportParameters: COLUMNS }
  const tags = await expectTagged(await askPdf(request))
  expect(tags.pages.length).toBeGreaterThan(1)
  expect(partsIn(tags, 'H1').map(({ text }) => text)).toEqual(['Transactions'])
  const csv = await ask(gateway, operator, request)
  const [titles = [], ...rows] = parse(csv.text, { record_delimiter: '\r\n' })
  expect(rows.length).toBeGreaterThan(50)
  // The first tables have the rows, and the last ones have the totals.
  expect([...new Set(titlesIn(tags))].map((header) => header?.replaceAll(/\s/g, ''))).toEqual([
    titles.join('|').replaceAll('_', ''),
    'Currency|Transactiontype|Status|Disputestage|Rows|Amount',
  ])
  const read = partsIn(tags, 'Table').flatMap(({ parts: [, ...others] }) => others)
  const plain = (text: string): string => text.replaceAll(/\s/g, '')
  // The suite of every format compares texts of other scripts.
  const isPlain = (row: readonly string[]) => row.every((text) => /^[\x20-\x7e]*$/.test(text))
  const expected = rows.map((row) => (isPlain(row) ? row.map(plain).join('|') : undefined))
  const cells = rows.map((_, index) => {
    const texts = read[index]?.parts.map(({ text }) => plain(text)).join('|')
    return expected[index] === undefined ? undefined : texts
  })
  expect(cells).toEqual(expected)
  expect(expected.filter((row) => row !== undefined).length).toBeGreaterThan(25)
})

test('is not tagged above a limit of rows, and says so, and is refused above another', async () => {
  const rowsMax = Number((await ask(gateway, operator, LIST)).trailers['counterfoil-rows']) - 1
  const limited = await serve(sandbox, { formats: { pdf: { rowsMax, taggedRowsMax: 20 } } })
  const refused = await ask(limited, operator, { ...LIST, reportFormat: 'PDF' })
  const request = { ...LIST, ...OCTOBER, reportFormat: 'PDF' }
  const { status, bytes } = await ask(limited, operator, request)
  await limited.close()
  const expected = `for PDF a report of at most ${rowsMax} rows; CSV has no limit`
  expect(problemIn(refused).errors).toEqual([{ pointer: '/reportFormat', expected }])
  expect(status).toBe(200)
  const tags = await readPdfTags(bytes)
  expect(tags.isTagged).toBe(false)
  expect(tags.pages.flatMap(({ parts }) => parts)).toEqual([])
  expect(tags.metadata).not.toContain('<pdfuaid:part>')
  expect(tags.keywords).toBe('Not tagged: the document has too many rows')
})

const PAYOUTS: readonly FileColumn[] = [
  { title: 'Merchant', kind: 'text' },
  { title: 'Amount', kind: 'money' },
]

/** Writes a PDF without a gateway. */
async function fileOf(
  rows: readonly (readonly string[])[],
  change: Partial<ReportFile> = {},
): Promise<Buffer> {
  return await writeRecords(pdf.plan({ ...reportFile(PAYOUTS), ...change }), rows)
}

describe('the tags are complete', () => {
  const { about } = reportFile(PAYOUTS)

  test('with a title from right to left, and characters that no text has', async () => {
    const changed = {
      ...about,
      title: 'مرحبا <بالعالم> & "more"',
      parameters: { note: 'zero \0, mark \ufeff, none \ufffe \uffff, bell \u0007' },
    }
    const rows = [['zero \0 \ufeff \ufffe \uffff \u{1fffe} \ud800 漢', '1.50']]
    await expectTagged(await fileOf(rows, { about: changed }))
  })

  test('with a row that is longer than a page, in a table of two lines for each row', async () => {
    const columns = Array.from({ length: 60 }, (_, index) => {
      return { title: `Column ${index}`, kind: 'text' } as const
    })
    const row = columns.map((_, index) => 'long text\n'.repeat(index === 30 ? 200 : 2))
    await expectTagged(await fileOf([row, row], { columns }))
  })
})
