import { expect, test } from 'vitest'
import { recordsOf, writeRecords } from '../../../test/kit/write-records.ts'
import { readPdfRows } from '../../../../gateway/test/kit/read-pdf-rows.ts'
import { reportFile } from '../../../../gateway/test/kit/report-file.ts'
import { STATEMENT_ROLES, type StatementLayout, type StatementRole } from '../../format/format.ts'
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
const STATEMENT: Readonly<Record<StatementRole | 'amount', string>> = {
  holder: 'Shop',
  holderId: '1',
  account: 'Project',
  accountId: '2',
  currency: 'EUR',
  statement: '3',
  day: '01.10.2026',
  opening: '0',
  closing: '5',
  amount: '5',
}

/** Writes a document of statements, and returns the lines of its pages. */
async function pagesOf(
  statements: readonly (typeof STATEMENT)[],
  isChecked = false,
): Promise<Awaited<ReturnType<typeof readPdfRows>>> {
  const plan = pdf.plan(reportFile([], {}, { statement: LAYOUT }))
  const rows = statements.map((statement) => {
    return [...STATEMENT_ROLES.map((role) => statement[role]), statement.amount]
  })
  if (isChecked) await plan.check?.read(recordsOf(rows))
  return await readPdfRows(await writeRecords(plan, rows))
}

/** Writes a document of one statement, and returns its texts. */
async function textsOf(change: Partial<typeof STATEMENT>): Promise<string> {
  return (await pagesOf([{ ...STATEMENT, ...change }])).flat(2).join(' ')
}

test('a document of statements says at its end that a character has no font', async () => {
  expect(await textsOf({})).not.toContain('No font')
  expect(await textsOf({ holder: 'Shop ᚠ' })).toContain('No font of the gateway')
})

test('shows the complete head of a section, however long its names are', async () => {
  const long = 'Shop '.repeat(400)
  const texts = await textsOf({ holder: long, account: long })
  expect(texts.match(/… \[cut\]/g)).toHaveLength(2)
  expect(texts).toMatch(/· EUR .*Holder id 1, account id 2\. .*Opening balance .* Closing balance/)
})

test('leaves out days without movements, and goes on below a heading', async () => {
  const days = Array.from({ length: 100 }, (_, index) => ({
    ...STATEMENT,
    statement: String(index + 1),
    day: `day ${index + 1}`,
    opening: String(index * 5),
    closing: String((index + 1) * 5),
  }))
  const still = { ...STATEMENT, day: 'day 101', opening: '500', closing: '500', amount: '0' }
  const pages = await pagesOf([...days, still])
  expect(pages.length).toBeGreaterThan(1)
  const lines = pages.flat()
  const rows = lines.filter(([day = '']) => day.startsWith('day '))
  expect(rows.map(([day]) => day)).toEqual(days.map(({ day }) => day))
  expect(lines.flat().join(' ')).toContain('statements: 101, of which 1 without movements are not')
  expect(lines).toContainEqual(['Total', '500.00'])
  expect(lines).toContainEqual(['Closing balance', '500.00'])
  for (const [first] of pages.slice(1)) expect(first).toEqual(['Shop · Project · EUR, continued'])
})

test('lists an account without movements, and gives it no section', async () => {
  const still = { ...STATEMENT, account: 'Still', opening: '7', closing: '7', amount: '0' }
  const texts = (await pagesOf([STATEMENT, still], true)).flat(2)
  expect(texts).toContain('Shop · Project · EUR')
  expect(texts).not.toContain('Shop · Still · EUR')
  expect(texts.join(' ')).toContain('which only the first list has: 1.')
  expect((await pagesOf([still])).flat(2)).toContain('Shop · Still · EUR')
})
