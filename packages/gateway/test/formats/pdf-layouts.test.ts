import * as z from 'zod'
import { expect, test } from 'vitest'
import { readRows } from '../../src/engine/engine.ts'
import { ask, parameters } from '../kit/ask.ts'
import { exportLedger, isTransferIn, seenBy, type Transaction } from '../kit/exported-ledger.ts'
import { readPdfRows, ungrouped } from '../kit/read-pdf-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const REQUEST = { reportIdentifier: 'settlement-statement', reportFormat: 'PDF' }

const { sandbox, gateway } = await serveSandbox([2000, ['settlement-statement.yaml']])
const { merchant } = sandbox.logins

type Line = readonly string[]

/** The lines of a document without the last lines of pages, with numbers whose digits are not in groups. */
function linesIn(pages: readonly (readonly Line[])[]): readonly Line[] {
  return pages.flatMap((lines) => lines.slice(0, -1).map((line) => line.map(ungrouped)))
}

/** Whether a line names the holder of a section. The overview of accounts has a column of this title. */
function isHolder([label, ...others]: Line): boolean {
  return label === 'Holder' && others.length === 1
}

/** The lines of each section of a document. */
function sectionsIn(pages: readonly (readonly Line[])[]): readonly (readonly Line[])[] {
  const lines = linesIn(pages)
  const starts = lines.flatMap((line, index) => (isHolder(line) ? [index] : []))
  return starts.map((start, index) => lines.slice(start, starts[index + 1]))
}

/** Returns the texts of the line that begins with a label. */
function lineOf(lines: readonly Line[], label: string): Line {
  return lines.find(([first]) => first === label)?.slice(1) ?? []
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n)

/** Writes ten-thousandths with the fraction digits of a currency. */
function written(amount: bigint, exponent: number): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(5, '0')
  const fraction = digits.slice(-4, digits.length - 4 + exponent)
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -4)}${exponent > 0 ? `.${fraction}` : ''}`
}

async function exponentsOf(): Promise<ReadonlyMap<string, number>> {
  const row = z.object({ currency: z.string(), exponent: z.number() })
  const sql = 'SELECT currency, exponent FROM currencies'
  const rows = await readRows(gateway.engine, row, { sql, parameters: {} })
  return new Map(rows.map(({ currency, exponent }) => [currency, exponent]))
}

/** The usual answer, and what it holds. Only one test changes the ledger, and it asks for other days. */
const answer = await ask(gateway, merchant, REQUEST)
const usualPages = await readPdfRows(answer.bytes)
const usualSections = sectionsIn(usualPages)

test('a statement has a section for each project and currency with the figures of the ledger', async () => {
  const ledger = await exportLedger(gateway.engine)
  const exponents = await exponentsOf()
  const statements = seenBy(merchant, ledger.statements).toSorted((a, b) => {
    return a.business_day < b.business_day ? -1 : 1
  })
  expect(answer.status).toBe(200)
  expect(answer.trailers['counterfoil-rows']).toBe(String(statements.length))
  const sections = usualSections
  const accounts = new Set(statements.map((one) => `${one.project_id} ${one.currency}`))
  expect(sections.length).toBe(accounts.size)
  for (const section of sections) {
    const [currency = ''] = lineOf(section, 'Currency')
    const [, project] = /, id (\d+)$/.exec(lineOf(section, 'Account').join(' ')) ?? []
    const own = statements.filter((one) => {
      return one.currency === currency && one.project_id === Number(project)
    })
    const money = (amount: bigint): string => written(amount, exponents.get(currency) ?? 3)
    expect(lineOf(section, 'Statements')).toEqual([String(own.length)])
    // The table of entries says the closing balance of each statement, and of no other.
    const closings = section.filter((line) => line.at(-2) === 'Closing balance')
    expect(closings.map((line) => line.at(-1))).toEqual(own.map(({ closing }) => money(closing)))
    const ids = new Set(own.map((one) => String(one.statement_id)))
    expect(new Set(section.flat().filter((text) => ids.has(text)))).toEqual(ids)
    const settled = ledger.transactions.filter((row) => ids.has(String(row.statement_id)))
    const figures = (rows: readonly Transaction[]) => [
      String(rows.length),
      money(sumOf(rows.map((row) => row.gateway_fee ?? 0n))),
      money(sumOf(rows.map((row) => row.settlement_amount ?? 0n))),
    ]
    const sums = section.slice(section.findIndex(([title]) => title === 'Sums by entry'))
    const of = (...types: readonly string[]) => {
      return settled.filter((row) => types.includes(row.transaction_type))
    }
    expect(lineOf(sums, 'Sales and captures')).toEqual(figures(of('sale', 'capture')))
    expect(lineOf(sums, 'Refunds')).toEqual(figures(of('reversal')))
    expect(lineOf(sums, 'Chargebacks')).toEqual(figures(of('chargeback')))
    expect(lineOf(sums, 'Transfers in')).toEqual(figures(settled.filter(isTransferIn)))
    const out = of('payout', 'transfer').filter((row) => !isTransferIn(row))
    expect(lineOf(sums, 'Payouts and transfers out')).toEqual(figures(out))
    const held = sumOf(settled.map((row) => row.reserve_amount ?? 0n))
    expect(lineOf(sums, 'Reserve held')).toEqual([money(held)])
    const paid = sumOf(own.map((one) => one.paid_out))
    expect(lineOf(sums, 'Paid out to the holder')).toEqual([money(paid)])
  }
})

test('a statement runs a balance without a gap, and says where one is', async () => {
  const sections = usualSections
  expect(sections.flatMap((section) => lineOf(section, 'Continuity'))).toEqual(
    sections.map(() => 'Each statement opens with the closing balance of the one before.'),
  )
  // The ids have 63 bits. The amounts have three fraction digits.
  await gateway.engine.execute(`INSERT INTO statements
    (statement_id, merchant_id, project_id, currency, business_day, opening, payable, paid_out, closing,
      company_id, manager_id) VALUES
    (9223372036854775801, 1, 1, 'KWD', '2027-01-01', 0, 10.125, 0, 10.125, 1, 1),
    (9223372036854775802, 1, 1, 'KWD', '2027-01-02', 7.125, -8, 0, -0.875, 1, 1)`)
  const later = parameters({ dateFrom: '2027-01-01', dateTo: '2027-01-03' })
  const { bytes: changed } = await ask(gateway, merchant, { ...REQUEST, ...later })
  const [section = []] = sectionsIn(await readPdfRows(changed))
  expect(lineOf(section, 'Continuity')).toEqual([
    'Gaps: 1. A line marks each statement that does not open with the balance before it.',
  ])
  const start = section.findIndex(([title]) => title === 'Day')
  const end = section.findIndex(([title]) => title === 'Sums by entry')
  expect(section.slice(start + 1, end).map((line) => line.join(' | '))).toEqual([
    '2027-01-01 | 922337203685 | Opening balance | 0.000',
    '4775801',
    'Other movements | 10.125 | 10.125',
    'Closing balance | 10.125',
    '2027-01-02 | 922337203685 | Gap in the balance | 3.000 | 7.125',
    '4775802',
    'Other movements | 8.000 | -0.875',
    'Closing balance | -0.875',
  ])
  expect(lineOf(section, 'All entries')).toEqual(['0.000', '11.000', '10.125'])
})

test('a statement numbers every page', () => {
  const pages = usualPages
  const numbers = pages.map((lines) => lines.at(-1)?.slice(0, 2).join(' '))
  expect(numbers).toEqual(pages.map((_, index) => `Page ${index + 1} of ${pages.length}`))
})

test('every page of a statement names its account, and the first page says what is not listed', () => {
  const pages = usualPages
  const isNamed = pages.map((lines) => {
    return lines.some((line) => isHolder(line) || line[0]?.endsWith(', continued'))
  })
  expect(isNamed.slice(1)).toEqual(pages.slice(1).map(() => true))
  const continued = pages.filter(([[first = ''] = []]) => first.endsWith(', continued'))
  expect(continued.length).toBeGreaterThan(0)
  const [head = []] = pages
  expect(head.flat().join(' ')).toContain('without a statement in the period is not listed')
})

test('the first page of a statement lists the accounts with their balances, and the sums of each currency', () => {
  const lines = linesIn(usualPages)
  const start = lines.findIndex(([first]) => first === 'Accounts')
  const table = lines.slice(start, lines.findIndex(isHolder)).filter((line) => line.length > 4)
  const accounts = table.filter(([first]) => first !== 'All accounts' && first !== 'Holder')
  const figures = usualSections.map((section) => {
    const balances = section[section.findIndex(([first]) => first === 'Opening balance') + 1] ?? []
    return [lineOf(section, 'Currency')[0], balances[0], balances[3]]
  })
  expect(figures.length).toBeGreaterThan(5)
  expect(accounts.map((line) => [line.at(-4), line.at(-3), line.at(-1)])).toEqual(figures)
  const sums = table.filter(([first]) => first === 'All accounts')
  expect(sums.length).toBe(new Set(figures.map(([currency]) => currency)).size)
  for (const [, currency = '', opening = '', movements = '', closing = ''] of sums) {
    const own = accounts.filter((line) => line.at(-4) === currency)
    const sumAt = (at: number) => own.reduce((sum, line) => sum + Number(line.at(at)), 0)
    expect(sumAt(-3)).toBeCloseTo(Number(opening), 3)
    expect(sumAt(-2)).toBeCloseTo(Number(movements), 3)
    expect(sumAt(-1)).toBeCloseTo(Number(closing), 3)
    expect(Number(opening) + Number(movements)).toBeCloseTo(Number(closing), 3)
  }
})

test('a statement is a table if the request names columns, or asks for totals', async () => {
  const columns = { ...REQUEST, outputReportParameters: ['Statement_id', 'Closing_balance'] }
  const { inputReportParameters: configurationReportParameters } = parameters({ totals: 'only' })
  const asked = [columns, { ...REQUEST, configurationReportParameters }]
  for (const request of asked) {
    const { status, bytes } = await ask(gateway, merchant, request)
    expect(status).toBe(200)
    expect(sectionsIn(await readPdfRows(bytes))).toEqual([])
  }
})

test('a statement says that there is no statement', async () => {
  const request = { ...REQUEST, ...parameters({ statementId: '1' }) }
  const { status, bytes, trailers } = await ask(gateway, merchant, request)
  expect([status, trailers['counterfoil-rows']]).toEqual([200, '0'])
  const [page = []] = await readPdfRows(bytes)
  expect(page.flat()).toContain('The report has no statements.')
})
