import { expect, test } from 'vitest'
import { readPdf } from '../../test/kit/read-pdf.ts'
import { writeRecords } from '../../test/kit/write-records.ts'
import { reportFile } from '../../../gateway/test/kit/report-file.ts'
import type { FileColumn, ReportFile } from '../format/format.ts'
import { pdf } from './pdf.ts'

/** The columns of the usual file. */
const COLUMNS: readonly FileColumn[] = [
  { title: 'Merchant', kind: 'text' },
  { title: 'Created', kind: 'time' },
  { title: 'Amount', kind: 'money' },
  { title: 'Description', kind: 'text' },
]

/** The usual file. */
const FILE = reportFile(COLUMNS, {
  title: 'Transactions',
  name: 'october',
  identifier: 'transactions-list',
  login: 'merchant-1',
  timezone: 'Europe/Berlin',
  parameters: { dateFrom: '2026-09-30 22:00:00.000', dateTo: '2026-10-31 23:00:00.000' },
  madeAt: Date.UTC(2026, 10, 22, 12),
  runId: 'run-1',
})

/** Writes a file. */
async function fileOf(
  rows: readonly (readonly string[])[],
  change: Partial<ReportFile> = {},
): Promise<Buffer> {
  return await writeRecords(pdf.plan({ ...FILE, ...change }), rows)
}

test('writes what the report is, its rows below a header on each page, and the numbers of pages', async () => {
  const rows = Array.from({ length: 100 }, (_, index) => {
    return ['Acme', '2026-10-01 12:00:00', `${index}.250`, `Order ${index}`]
  })
  const { pages, info, language } = await readPdf(await fileOf(rows))
  expect(pages.length).toBeGreaterThan(1)
  const titles = COLUMNS.map(({ title }) => title)
  for (const [index, { texts }] of pages.entries()) {
    expect(texts.slice(-3)).toEqual([
      'Transactions · run-1',
      `Page ${index + 1} of`,
      String(pages.length),
    ])
    const start = texts.indexOf('Merchant')
    expect(texts.slice(start, start + 4)).toEqual(titles)
  }
  expect(pages[0]?.texts.slice(0, 3)).toEqual(['Transactions', 'Login', 'merchant-1'])
  expect(pages[0]?.texts).toContain('2026-10-01 to 2026-10-31')
  const cells = pages.flatMap(({ texts }) => texts.slice(texts.indexOf('Description') + 1, -3))
  expect(cells).toEqual(rows.flat())
  expect(info).toMatchObject({
    Title: 'Transactions',
    Author: 'merchant-1',
    Subject: 'october',
    CreationDate: 'D:20261122120000Z',
  })
  expect(language).toBe('en')
})

test('a report without rows has its header and says so', async () => {
  const { pages } = await readPdf(await fileOf([]))
  expect(pages).toHaveLength(1)
  expect(pages[0]?.texts).toContain('The report has no rows.')
  expect(pages[0]?.texts).toEqual(expect.arrayContaining(COLUMNS.map(({ title }) => title)))
})

test('a narrow table is upright and a wide one across, on the paper that the request names', async () => {
  const wide = Array.from({ length: 12 }, (_, index) => ({
    title: `Column ${index}`,
    kind: 'text' as const,
  }))
  const row = wide.map(() => 'some words')
  const style = { ...FILE.style, paper: 'Letter' as const }
  const sizeOf = async (bytes: Buffer) => {
    const { width, height } = (await readPdf(bytes)).pages[0] ?? {}
    return [Math.round(width ?? 0), Math.round(height ?? 0)]
  }
  expect(await sizeOf(await fileOf([['a', 'b', '1', 'c']]))).toEqual([595, 842])
  expect(await sizeOf(await fileOf([row], { columns: wide }))).toEqual([842, 595])
  expect(await sizeOf(await fileOf([row], { columns: wide, style }))).toEqual([792, 612])
})

test('adds up amounts exactly, apart for each currency', async () => {
  const sums = {
    by: [{ title: 'Currency', kind: 'text', sql: 'currency' }],
    columns: [{ title: 'Amount', kind: 'money', sql: 'amount' }],
  } as const
  const amounts = [
    ['EUR', '2', '999999999999999999999990'],
    ['EUR', '2', '10'],
    ['EUR', '2', '-5000'],
    ['JPY', '0', '700000'],
    ['KWD', '3', '-50'],
    ['USD', '2', ''],
  ] as const
  const rows = amounts.map(([currency, digits, amount]) => {
    return ['a', 'b', amount, 'c', currency, digits, amount]
  })
  const { pages } = await readPdf(await fileOf(rows, { sums }))
  const texts = pages.flatMap((page) => page.texts)
  expect(
    texts
      .slice(texts.indexOf('Totals'), -3)
      .join(' ')
      .split(/ (?=[A-Z]{3} )/),
  ).toEqual([
    'Totals Currency Rows Amount',
    'EUR 3 99 999 999 999 999 999 999.50',
    'JPY 1 70',
    'KWD 1 -0.005',
    'USD 1',
  ])
})

test('a text of any script can be copied, and the end says that a character has no font', async () => {
  const hard = [
    'Ünïcode “quotes” (brackets) back\\slash',
    'Книга Ελληνικά',
    'مرحبا بالعالم',
    'שלום עולם',
    'สวัสดีชาวโลก น้ำ',
    'हिन्दी क्षत्रिय',
    'e\u0301 combined',
    'line\nfeed',
  ]
  const rows = [...hard, '漢字 😀'].map((text) => ['a', 'b', '1.000', text])
  const { pages } = await readPdf(await fileOf(rows))
  const texts = pages.flatMap((page) => page.texts)
  const letters = (text: string): string => {
    return Array.from(text.normalize('NFKC').replaceAll(/[\s\u2060]/g, ''))
      .toSorted()
      .join('')
  }
  const found = new Set(texts.map(letters))
  for (const text of hard.flatMap((each) => each.split('\n')))
    expect(found).toContain(letters(text))
  expect(texts.join(' ')).toContain(
    'No font of the gateway has the characters that appear as \ufffd.',
  )
  expect(texts.join(' ')).not.toContain('U+')
})

test('a long text wraps, and a text that is longer than a page goes on', async () => {
  const words = Array.from({ length: 5000 }, (_, index) => `word${index}`)
  const unbroken = 'x'.repeat(20_000)
  const rows = [
    ['a', 'b', '1.000', words.join(' ')],
    ['c', 'd', '2.000', unbroken],
  ]
  const { pages } = await readPdf(await fileOf(rows))
  const texts = pages.flatMap((page) => page.texts)
  expect(texts.join(' ').match(/word\d+/g)).toEqual(words)
  expect(texts.filter((text) => /^x+$/.test(text)).join('')).toBe(unbroken)
})

test('long parameters and filters are cut', async () => {
  const hostile = 'aب'.repeat(50_000)
  const ids = Array.from({ length: 40 }, (_, index) => String(index).padEnd(250, 'x'))
  const about = {
    ...FILE.about,
    parameters: { note: hostile, lines: 'a\n'.repeat(130_000), last: 'end' },
    filters: { endpoints: ids },
  }
  const { pages } = await readPdf(await fileOf([['a', 'b', '1.000', 'c']], { about }))
  const texts = pages.flatMap((page) => page.texts)
  const shown = texts.slice(0, texts.indexOf('Merchant')).join('').replaceAll(' ', '')
  expect(shown).toContain(`${'0'.padEnd(93, 'x')}…[cut],${'1'.padEnd(93, 'x')}…[cut],`)
  expect(shown).toContain('and36more')
  expect(shown.match(/cut/g)).toHaveLength(6)
  expect(shown.match(/ب/g)).toHaveLength(196)
  expect(shown).toContain('Lastend')
})

test('facts that fill the first page go on to the next page', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `name ${index}`)
  const parameters = Object.fromEntries(names.map((name) => [name, 'value']))
  const { pages } = await readPdf(await fileOf([], { about: { ...FILE.about, parameters } }))
  expect(pages[0]?.texts).toContain('Name 0')
  expect(pages[1]?.texts).toContain('Name 99')
  expect(pages[1]?.texts).toContain('Merchant')
})
