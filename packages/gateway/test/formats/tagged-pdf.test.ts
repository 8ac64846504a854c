import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { ask, parameters } from '../kit/ask.ts'
import { type PdfTags, partsOf, readPdfTags } from '../kit/read-pdf-tags.ts'
import { serve } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const OCTOBER = parameters({ dateFrom: '2026-10-01', dateTo: '2026-11-01' })
const REPORTS = ['transactions-list.yaml', 'settlement-statement.yaml']

const { sandbox, gateway } = await serveSandbox([6000, REPORTS])
const { operator } = sandbox.logins

async function tagsOf(
  identifier: string,
  outputReportParameters: readonly string[] = [],
): Promise<PdfTags> {
  const asked = { reportIdentifier: identifier, outputReportParameters, ...OCTOBER }
  const request = { ...asked, reportFormat: 'PDF' }
  const { status, bytes } = await ask(gateway, operator, request)
  expect(status).toBe(200)
  return await readPdfTags(bytes)
}

const partsIn = ({ pages }: PdfTags, role: string) => pages.flatMap((page) => partsOf(page, role))

/** Columns whose values are the same in PDF and CSV. */
const COLUMNS = ['Merchant_Name', 'Transaction_id', 'Created_date', 'Status', 'Order_description']

const list = tagsOf('transactions-list', COLUMNS)

test('a reader of tags finds the title, and each value of the report in its row', async () => {
  const tags = await list
  expect(tags.isTagged).toBe(true)
  expect(tags.metadata).toContain('<pdfuaid:part>1</pdfuaid:part>')
  expect(tags.keywords).toBeUndefined()
  expect(partsIn(tags, 'H1').map(({ text }) => text)).toEqual(['Transactions'])
  const asked = { reportIdentifier: 'transactions-list', outputReportParameters: COLUMNS }
  const csv = await ask(gateway, operator, { ...asked, ...OCTOBER })
  const [titles = [], ...rows] = parse(csv.text, { record_delimiter: '\r\n' })
  expect(rows.length).toBeGreaterThan(100)
  // The first tables have the rows, and the last ones have the totals. Each begins with its titles.
  const tables = partsIn(tags, 'Table').map(({ parts }) => parts)
  expect(tables.length).toBeGreaterThan(2)
  for (const [header, ...others] of tables) {
    expect(header?.parts.every(({ role }) => role === 'TH')).toBe(true)
    expect(others.flatMap(({ parts }) => parts).every(({ role }) => role === 'TD')).toBe(true)
  }
  const headers = tables.map(([header]) => header?.parts.map(({ text }) => text).join('|'))
  expect([...new Set(headers)].map((header) => header?.replaceAll(/\s/g, ''))).toEqual([
    titles.join('|').replaceAll('_', ''),
    'Currency|Transactiontype|Status|Disputestage|Rows|Amount',
  ])
  const read = tables.flatMap(([, ...others]) => others.map(({ parts }) => parts))
  const plain = (text: string): string => text.replaceAll(/\s/g, '')
  // The suite of every format compares texts of other scripts.
  const isPlain = (row: readonly string[]) => row.every((text) => /^[\x20-\x7e]*$/.test(text))
  const expected = rows.map((row) => (isPlain(row) ? row.map(plain).join('|') : undefined))
  const cells = rows.map((_, index) => {
    const texts = read[index]?.map(({ text }) => plain(text)).join('|')
    return expected[index] === undefined ? undefined : texts
  })
  expect(cells).toEqual(expected)
  expect(expected.filter((row) => row !== undefined).length).toBeGreaterThan(50)
})

test('the last lines of pages are in no part', async () => {
  const tags = await list
  expect(tags.pages.length).toBeGreaterThan(1)
  const texts = ['P', 'TH', 'TD', 'H1', 'H2'].flatMap((role) => partsIn(tags, role))
  expect(texts.filter(({ text }) => text.includes('Page '))).toEqual([])
})

test('a statement has headings and tables', async () => {
  const statement = await tagsOf('settlement-statement')
  expect(partsIn(statement, 'H2').length).toBeGreaterThan(1)
  const headers = partsIn(statement, 'Table').map(({ parts: [header] }) => {
    return header?.parts.map(({ text }) => text).join('|')
  })
  expect(headers).toContain('Holder|Account|Currency|Opening balance|Movements|Closing balance')
  expect(headers).toContainEqual(expect.stringMatching(/^Day\|Statement\|.+\|Balance$/))
})

test('is not tagged above the limit of rows, and says so', async () => {
  const formats = { pdf: { taggedRowsMax: 20 } }
  const limited = await serve(sandbox, { formats })
  const request = { reportIdentifier: 'transactions-list', ...OCTOBER, reportFormat: 'PDF' }
  const { status, bytes } = await ask(limited, operator, request)
  await limited.close()
  expect(status).toBe(200)
  const tags = await readPdfTags(bytes)
  expect([tags.isTagged, tags.pages]).toEqual([false, []])
  expect(tags.metadata).not.toContain('<pdfuaid:part>')
  expect(tags.keywords).toBe('Not tagged: the document has too many rows')
})
