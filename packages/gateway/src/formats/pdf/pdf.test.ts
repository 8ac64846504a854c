import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { expect, test } from 'vitest'
import { PLAIN_STYLE } from '../../column-kinds.ts'
import type { FileColumn, ReportFile } from '../format.ts'
import { pdf } from './pdf.ts'

const COLUMNS: readonly FileColumn[] = [
  { title: 'Merchant', kind: 'text' },
  { title: 'Created', kind: 'time' },
  { title: 'Amount', kind: 'money' },
  { title: 'Description', kind: 'text' },
]

const FILE: ReportFile = {
  columns: COLUMNS,
  values: PLAIN_STYLE,
  style: {
    encoding: 'UTF-8',
    delimiter: ',',
    header: true,
    quoteAll: true,
    lineEnd: '\r\n',
    byteOrderMark: false,
    refuseUnencodable: false,
    paper: 'A4',
  },
  sums: undefined,
  about: {
    title: 'Transactions',
    name: 'october',
    identifier: 'transactions-list',
    login: 'merchant-1',
    timezone: 'Europe/Berlin',
    parameters: { dateFrom: '2026-09-30 22:00:00.000', dateTo: '2026-10-31 23:00:00.000' },
    filters: {},
    schemaHash: '0123456789abcdef',
    madeAt: Date.UTC(2026, 10, 22, 12),
    runId: 'run-1',
  },
}

async function fileOf(
  rows: readonly (readonly string[])[],
  change: Partial<ReportFile> = {},
): Promise<Buffer> {
  const chunks = async function* () {
    yield {
      bytes: Buffer.from(rows.map((row) => `${row.join('\x1f')}\x1e`).join('')),
      rows: rows.length,
    }
  }
  const pieces: Uint8Array[] = []
  for await (const { bytes } of pdf.plan({ ...FILE, ...change }).write(chunks())) pieces.push(bytes)
  return Buffer.concat(pieces)
}

/** Reads the texts of each page, in the order of the file. */
async function textsOf(bytes: Buffer): Promise<readonly (readonly string[])[]> {
  const document = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise
  const pages: (readonly string[])[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent()
    pages.push(items.flatMap((item) => ('str' in item && item.str.trim() ? [item.str] : [])))
  }
  return pages
}

test('writes what the report is, its rows below a header on each page, and the numbers of pages', async () => {
  const rows = Array.from({ length: 100 }, (_, index) => {
    return ['Acme', '2026-10-01 12:00:00', `${index}.250`, `Order ${index}`]
  })
  const pages = await textsOf(await fileOf(rows))
  expect(pages.length).toBeGreaterThan(1)
  const titles = COLUMNS.map(({ title }) => title)
  for (const [index, texts] of pages.entries()) {
    expect(texts.slice(-3)).toEqual([
      'Transactions · run-1',
      `Page ${index + 1} of`,
      String(pages.length),
    ])
    const start = texts.indexOf('Merchant')
    expect(texts.slice(start, start + 4)).toEqual(titles)
  }
  expect(pages[0]?.slice(0, 3)).toEqual(['Transactions', 'Login', 'merchant-1'])
  expect(pages[0]).toContain('from 2026-10-01 00:00:00 until before 2026-11-01 00:00:00')
  const cells = pages.flatMap((texts) => texts.slice(texts.indexOf('Description') + 1, -3))
  expect(cells).toEqual(rows.flat())
})
