import { expect, test } from 'vitest'
import { readPdfRows } from '../../../../test/kit/read-pdf-rows.ts'
import { reportFile } from '../../../../test/kit/report-file.ts'
import { LIMITS } from '../../../limits.ts'
import { STATEMENT_ROLES, type StatementLayout, type StatementRole } from '../../layouts.ts'
import { pdf } from '../pdf.ts'

const COLUMN = { title: 'Any', kind: 'text', sql: 'any' } as const
const LAYOUT: StatementLayout = {
  columns: {
    holder: COLUMN,
    holderId: COLUMN,
    account: COLUMN,
    accountId: COLUMN,
    currency: COLUMN,
    statement: COLUMN,
    day: COLUMN,
    opening: COLUMN,
    closing: COLUMN,
  },
  entries: [{ title: 'Sales', count: undefined, fees: undefined, amount: COLUMN, isCredit: true }],
}
const STATEMENT: Readonly<Record<StatementRole, string>> = {
  holder: 'Shop',
  holderId: '1',
  account: 'Project',
  accountId: '2',
  currency: 'EUR',
  statement: '3',
  day: '01.10.2026',
  opening: '0',
  closing: '5',
}

/** Writes a document of statements, and returns the lines of its pages. */
async function pagesOf(
  statements: readonly (typeof STATEMENT)[],
  rowsMax = statements.length,
): Promise<Awaited<ReturnType<typeof readPdfRows>>> {
  const settings = { pdf: { rowsMax, taggedRowsMax: 10 } }
  const plan = pdf.plan(reportFile([], {}, { statement: LAYOUT, settings }))
  const records = statements.map((statement) => {
    return [...STATEMENT_ROLES.map((role) => statement[role]), '5'].join('\x1f')
  })
  const chunks = async function* () {
    yield { bytes: Buffer.from(records.map((record) => `${record}\x1e`).join('')), rows: 1 }
  }
  const pieces: Uint8Array[] = []
  for await (const { bytes } of plan.write(chunks())) pieces.push(bytes)
  return await readPdfRows(Buffer.concat(pieces))
}

/** Writes a document of one statement, and returns its texts. */
async function textsOf(change: Partial<typeof STATEMENT>, rowsMax = 1): Promise<string> {
  return (await pagesOf([{ ...STATEMENT, ...change }], rowsMax)).flat(2).join(' ')
}

test('a document of statements has the notes of other documents at its end', async () => {
  expect(await textsOf({})).not.toMatch(/Characters without a font|Cut texts/)
  expect(await textsOf({ holder: 'Shop ᚠ' })).toMatch(/Characters without a font .* U\+16A0/)
  const long = `${'x'.repeat(LIMITS.pdfTextLengthMax)}… [cut]`
  expect(await textsOf({ account: long })).toContain('Cut texts 1 text is longer than')
})

test('shows the complete head of a section, however long its names are', async () => {
  const long = 'Shop '.repeat(400)
  const texts = await textsOf({ holder: long, account: long })
  for (const label of ['Holder', 'Account', 'Currency', 'Days', 'Statements', 'Continuity']) {
    expect(texts).toContain(label)
  }
  expect(texts).toMatch(/Opening balance .* Closing balance .* Sums by entry/)
  expect(texts).toContain('… [cut], id 1')
})

test('is cut if statements arrived since they were counted', async () => {
  await expect(textsOf({}, 0)).rejects.toThrow('a report of at most 0 rows')
})

test('keeps the lines of a day on one page, and the sums with their heading', async () => {
  const days = Array.from({ length: 100 }, (_, index) => ({
    ...STATEMENT,
    statement: String(index + 1),
    day: `day ${index + 1}`,
    opening: String(index * 5),
    closing: String((index + 1) * 5),
  }))
  const pages = await pagesOf(days)
  expect(pages.length).toBeGreaterThan(3)
  for (const { statement, day } of days) {
    const own = pages.filter((lines) => lines.some((line) => line[0] === day))
    expect(own).toHaveLength(1)
    const lines = own[0] ?? []
    const start = lines.findIndex((line) => line[0] === day)
    const titles = lines.slice(start, start + 2).map((line) => line.join(' '))
    expect(titles.join(' ')).toMatch(statement === '1' ? /Opening/ : /Sales .* Closing balance/)
  }
  const sums = pages.find((lines) => lines.some(([first]) => first === 'Sums by entry')) ?? []
  expect(sums.map(([first]) => first)).toContain('All entries')
})
