// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs'
import * as z from 'zod'
import { expect, test } from 'vitest'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { ask, parameters } from '../kit/ask.ts'
import { png } from '../../../formats/test/kit/png.ts'
import { readPdfRows, ungrouped } from '../kit/read-pdf-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const REQUEST = { reportIdentifier: 'settlement-statement', reportFormat: 'PDF' }

const LETTERHEAD = { name: 'Acme Payments', address: ['1 High Street', 'Riga'], logo: 'logo.png' }
const { sandbox, gateway } = await serveSandbox(
  [2000, ['settlement-statement.yaml']],
  ({ folder }) => {
    writeFileSync(join(folder, 'logo.png'), png(60, 20))
    return { formats: { pdf: { letterhead: LETTERHEAD } } }
  },
)
const { merchant } = sandbox.logins

type Line = readonly string[]

/** The lines of a document without the last lines of pages, with numbers whose digits are not in groups. */
function linesIn(pages: readonly (readonly Line[])[]): readonly Line[] {
  return pages.flatMap((lines) => lines.slice(0, -1).map((line) => line.map(ungrouped)))
}

/** Whether a line is the heading of a section: the holder, the account and the currency. */
function isHeading([title = '', ...others]: Line): boolean {
  return others.length === 0 && / · .* · [A-Z]{3}$/.test(title)
}

/** The lines of each section of a document. */
function sectionsIn(pages: readonly (readonly Line[])[]): readonly (readonly Line[])[] {
  const lines = linesIn(pages)
  const starts = lines.flatMap((line, index) => (isHeading(line) ? [index] : []))
  return starts.map((start, index) => lines.slice(start, starts[index + 1]))
}

/** The currency of a section. */
const currencyOf = (section: readonly Line[]): string => section[0]?.[0]?.slice(-3) ?? ''

/** Returns the texts of the line that begins with a label. */
function lineOf(lines: readonly Line[], label: string): Line {
  return lines.find(([first]) => first === label)?.slice(1) ?? []
}

/** Shortens an amount of a CSV to the fraction digits of a currency. */
function shortened(amount: string, exponent: number): string {
  return amount.slice(0, amount.length - 3 + exponent).replace(/\.$/, '')
}

async function exponentsOf(): Promise<ReadonlyMap<string, number>> {
  const row = z.object({ currency: z.string(), exponent: z.number() })
  const sql = 'SELECT currency, exponent FROM currencies'
  const rows = await readRows(gateway.engine, row, sql)
  return new Map(rows.map(({ currency, exponent }) => [currency, exponent]))
}

/** The usual answer, and what it holds. Only one test changes the ledger, and it asks for other days. */
const answer = await ask(gateway, merchant, REQUEST)
const usualPages = await readPdfRows(answer.bytes)
const usualSections = sectionsIn(usualPages)

test('a statement has a section for each account with movements, and a row for each of its days', async () => {
  const exponents = await exponentsOf()
  const groups = ['Sales', 'Refunds', 'Chargebacks', 'Transfers_in', 'Payouts']
  const csv = await ask(gateway, merchant, {
    ...REQUEST,
    reportFormat: 'CSV',
    outputReportParameters: [
      ...'Statement_id Business_day Project_id Currency Paid_out Fees Opening_balance Closing_balance'.split(
        ' ',
      ),
      ...groups.map((name) => `${name}_count`),
    ],
  })
  const statements = parse<Record<string, string>>(csv.text, { columns: true })
  expect(answer.status).toBe(200)
  expect(answer.trailers['counterfoil-rows']).toBe(String(statements.length))
  const settled = (one: Record<string, string>) => {
    return groups.map((name) => Number(one[`${name}_count`]))
  }
  const moving = statements.filter((one) => {
    const isMoved = one['Opening_balance'] !== one['Closing_balance'] || Number(one['Paid_out']) > 0
    return isMoved || settled(one).some((count) => count > 0)
  })
  const accounts = new Set(moving.map((one) => `${one['Project_id']} ${one['Currency']}`))
  expect(usualSections.length).toBe(accounts.size)
  for (const section of usualSections) {
    const currency = currencyOf(section)
    const [, project] = /account id (\d+)\./.exec(section.flat().join(' ')) ?? []
    const isOwn = (one: Record<string, string>) => {
      return one['Currency'] === currency && one['Project_id'] === project
    }
    const [all, own] = [statements.filter(isOwn), moving.filter(isOwn)]
    const money = (amount = '') => shortened(amount, exponents.get(currency) ?? 3)
    const hidden = all.length - own.length
    const left = hidden > 0 ? `, of which ${hidden} without movements are not listed` : ''
    expect(section.flat().join(' ')).toContain(`statements: ${all.length}${left}.`)
    expect(lineOf(section, 'Opening balance')).toEqual([money(own[0]?.['Opening_balance'])])
    expect(lineOf(section, 'Closing balance')).toEqual([money(own.at(-1)?.['Closing_balance'])])
    const days = section.filter(([day = '']) => /^\d{4}-\d\d-\d\d$/.test(day))
    expect(days.map(([day, id, ...rest]) => [day, id, rest.at(-1)])).toEqual(
      own.map((one) => [
        one['Business_day']?.split('.').toReversed().join('-'),
        one['Statement_id'],
        money(one['Closing_balance']),
      ]),
    )
    // The amounts of a row lead from the balance above it to its own.
    let balance = Number(lineOf(section, 'Opening balance')[0])
    for (const line of days) {
      for (const change of line.slice(2, -1)) balance += Number(change)
      expect(balance).toBeCloseTo(Number(line.at(-1)), 3)
    }
    const sumOf = (amounts: readonly (number | string | undefined)[]) => {
      return amounts.reduce<number>((sum, amount) => sum + Number(amount), 0)
    }
    const counts = groups.map((_, at) => sumOf(own.map((one) => settled(one)[at])))
    const some = counts.filter((count) => count > 0).map(String)
    expect(lineOf(section, 'Transactions')).toEqual(some)
    const fees = sumOf(own.map((one) => one['Fees']))
    expect(sumOf(lineOf(section, 'Fees charged'))).toBeCloseTo(fees, 3)
    const paid = sumOf(own.map((one) => one['Paid_out'])).toFixed(3)
    const paidOut = Number(paid) === 0 ? [] : [`-${money(paid)}`]
    expect(lineOf(section, 'Total')).toEqual(expect.arrayContaining(paidOut))
  }
})

test('a statement shows what has no transaction, and where a balance does not continue', async () => {
  expect(usualSections.flat(2)).not.toContain('Balance gap')
  // The ids have 63 bits. The amounts have three fraction digits.
  await gateway.engine.execute(`INSERT INTO statements
    (statement_id, merchant_id, project_id, currency, business_day, opening, payable, paid_out, closing,
      company_id, manager_id) VALUES
    (9223372036854775800, 1, 1, 'KWD', '2026-12-31', 0, 2, 0, 2, 1, 1),
    (9223372036854775801, 1, 1, 'KWD', '2027-01-01', 0, 10.125, 0, 10.125, 1, 1),
    (9223372036854775802, 1, 1, 'KWD', '2027-01-02', 7.125, -8, 0, -0.875, 1, 1)`)
  const later = parameters({ dateFrom: '2027-01-01', dateTo: '2027-01-03' })
  const { bytes: changed } = await ask(gateway, merchant, { ...REQUEST, ...later })
  const [section = []] = sectionsIn(await readPdfRows(changed))
  const start = section.findIndex(([title]) => title === 'Day')
  expect(section.slice(start).map((line) => line.join(' | '))).toEqual([
    'Day | Statement | Other movements | Balance gap | Balance',
    'Balance before | 2.000',
    '2027-01-01 | 9223372036854775801 | 10.125 | -2.000 | 10.125',
    '2027-01-02 | 9223372036854775802 | -8.000 | -3.000 | -0.875',
    'Total | 2.125 | -5.000',
    'Closing balance | -0.875',
  ])
})

test('a statement begins with the letterhead of the operator, and a table has none', async () => {
  const [head = [], ...others] = usualPages
  expect(head.slice(0, 4).flat()).toEqual([
    LETTERHEAD.name,
    ...LETTERHEAD.address,
    'Settlement statements',
  ])
  expect(others.flat(2)).not.toContain(LETTERHEAD.name)
  const task = getDocument({ data: new Uint8Array(answer.bytes), verbosity: 0 })
  const page = await (await task.promise).getPage(1)
  const { fnArray } = await page.getOperatorList()
  expect(fnArray).toContain(OPS.paintImageXObject)
  await task.destroy()
  const request = { ...REQUEST, outputReportParameters: ['Statement_id'] }
  const table = await ask(gateway, merchant, request)
  expect((await readPdfRows(table.bytes)).flat(2)).not.toContain(LETTERHEAD.name)
})

test('every page of a statement names its account, and the first page says what is not listed', () => {
  const pages = usualPages
  const isNamed = pages.map((lines) => {
    return lines.some((line) => isHeading(line) || line[0]?.endsWith(', continued'))
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
  const table = lines.slice(start, lines.findIndex(isHeading)).filter((line) => line.length > 4)
  const accounts = table.filter(([first]) => first !== 'All accounts' && first !== 'Holder')
  const figures = usualSections.map((section) => {
    const balances = ['Opening balance', 'Closing balance'].map(
      (label) => lineOf(section, label)[0],
    )
    return [currencyOf(section), ...balances].join(' ')
  })
  expect(figures.length).toBeGreaterThan(5)
  const listed = accounts.map((line) => [line.at(-4), line.at(-3), line.at(-1)].join(' '))
  expect(listed).toEqual(expect.arrayContaining(figures))
  const sums = table.filter(([first]) => first === 'All accounts')
  expect(sums.length).toBe(new Set(accounts.map((line) => line.at(-4))).size)
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
