// @module-tag long

import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { readYaml } from '../../../common/src/read-yaml.ts'
import { readExponents } from '../../src/report/read-exponents.ts'
import { currencyOf, templateSchema } from '../../../templates/src/template/template.ts'
import { ask, LIST, parameters, problemIn } from '../kit/ask.ts'
import { readPdf } from '../../../formats/test/kit/read-pdf.ts'
import { EVERY_REPORT, type Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { insertRows } from '../kit/ledger-rows.ts'

/** The maximum of the rows of a PDF. */
const ROWS_MAX = 200
const { sandbox, gateway } = await serveSandbox([6000, EVERY_REPORT], {
  formats: { pdf: { rowsMax: ROWS_MAX } },
})
const PERIOD = parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-08' })

/** Joins texts without their spaces. */
const joined = (texts: readonly string[]): string => texts.join('').replaceAll(/\s/g, '')
const parsed = (csv: string): string[][] => parse(csv)

/**
 * Returns a function that writes the row of a CSV as documents do: amounts with the fraction digits of their currency,
 * and ISO days.
 */
async function documentCells(
  file: string,
): Promise<(titles: readonly string[], row: readonly string[]) => readonly string[]> {
  const { value: template } = readYaml(join(sandbox.reports, file), templateSchema, 'template')
  const exponents = await readExponents(gateway.engine, AbortSignal.timeout(10_000))
  return (titles, row) => {
    return titles.map((title, index) => {
      const text = row[index] ?? ''
      const column = template.columns.find(({ name }) => name === title)
      if (column?.kind === 'date') return text.split('.').toReversed().join('-')
      if (column?.kind === 'ratio' && text !== '') return `${(Number(text) * 100).toFixed(2)}%`
      if (column?.kind !== 'money' || text === '') return text
      const currency = row[titles.indexOf(currencyOf(template, column)?.name ?? '')] ?? ''
      const [whole = '', fraction = ''] = text.split('.')
      const digits = fraction.replace(/0+$/, '').padEnd(exponents.get(currency) ?? 2, '0')
      return digits === '' ? whole : `${whole}.${digits}`
    })
  }
}

/** Compares the PDF of a report with its CSV. */
function describeReport(reportIdentifier: string): void {
  describe(`the PDF of ${reportIdentifier}`, () => {
    test('has the values of the CSV in their order, and totals', async () => {
      const request = { reportIdentifier, ...PERIOD }
      const login =
        sandbox.logins[reportIdentifier === 'order-reconciliation' ? 'merchant' : 'operator']
      const csv = await ask(gateway, login, request)
      const [titles = [], ...rows] = parsed(csv.text)
      const shown = await documentCells(`${reportIdentifier}.yaml`)
      // A report that names its columns is a table, even if its file has a layout of its own.
      const table = { ...request, outputReportParameters: titles, reportFormat: 'PDF' }
      const answer = await ask(gateway, login, table)
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/pdf'])
      expect(answer.trailers['counterfoil-rows']).toBe(csv.trailers['counterfoil-rows'])
      const only = parameters({ totals: 'only' }).inputReportParameters
      const totals = await ask(gateway, login, { ...request, configurationReportParameters: only })
      const [keys = [], ...groups] = parsed(totals.text)
      const { pages } = await readPdf(answer.bytes)
      const [header = '', totalsHeader = ''] = [titles, keys].map((words) =>
        joined(words).replaceAll('_', ''),
      )
      const body = pages.map(({ texts }, index) => {
        const text = joined(texts.slice(0, -3)).replace(/^Totals,continued/, '')
        expect(joined(texts.slice(-2))).toBe(`Page${index + 1}of${pages.length}`)
        // The first page begins with what the report is.
        const start = index === 0 ? text.indexOf(header) : 0
        return text.slice(start).replaceAll(header, '').replaceAll(totalsHeader, '')
      })
      // The suite of documents reads the sums by currency.
      const [written = '', sums = ''] = body.join('').split(/(?:Sumsbycurrency.*)?Totals/)
      expect(written).toBe(joined(rows.flatMap((row) => shown(titles, row))))
      // Groups without a value come first here, and last in the engine's order.
      const expected = groups.map((group) => joined(shown(keys, group)))
      for (const group of expected) expect(sums).toContain(group)
      // Totals of statements in documents also have both balances, which documents.test.ts reads.
      const isStatement = reportIdentifier === 'settlement-statement'
      expect(sums.startsWith('OpeningbalanceClosingbalance')).toBe(isStatement)
      expect(isStatement || sums.length === joined(expected).length).toBe(true)
    })
  })
}

for (const file of EVERY_REPORT) describeReport(file.replace('.yaml', ''))

test('refuses a report of too many rows before the first byte', async () => {
  const request = { reportIdentifier: 'transactions-list', reportFormat: 'PDF' }
  const rows = async (login: Login): Promise<number> => {
    return Number((await ask(gateway, login, LIST)).trailers['counterfoil-rows'])
  }
  const { operator, merchant } = sandbox.logins
  expect(await rows(operator)).toBeGreaterThan(ROWS_MAX)
  const refused = await ask(gateway, operator, request)
  expect(refused.status).toBe(422)
  expect(problemIn(refused).errors).toEqual([
    {
      pointer: '/reportFormat',
      expected: `for PDF a report of at most ${ROWS_MAX} rows; CSV has no limit`,
    },
  ])
  expect((await ask(gateway, merchant, request)).status).toBe(200)
})

test('a text beyond the limit ends in a mark, and a text of exactly the limit is complete', async () => {
  const max = LIMITS.pdfTextLengthMax
  // A character of two UTF-16 units counts as one.
  const characters = Array.from('\u{1d11e}é'.repeat(15_000))
  await insertRows(
    gateway.engine,
    [max, max + 1, 15_000].map((length, index) => ({
      id: 9_223_372_036_854_771_000n + BigInt(index),
      createdAt: `2026-11-02 12:00:0${index}.000`,
      description: characters.slice(0, length).join(''),
    })),
  )
  const answer = await ask(gateway, sandbox.logins.operator, {
    reportIdentifier: 'transactions-list',
    ...parameters({ dateFrom: '2026-11-02', dateTo: '2026-11-03' }),
    outputReportParameters: ['Order_description'],
    reportFormat: 'PDF',
  })
  expect(answer.trailers['counterfoil-rows']).toBe('3')
  const { pages } = await readPdf(answer.bytes)
  const body = pages.flatMap(({ texts }) => texts.slice(0, -3))
  const shown = joined(body).replaceAll('Order_description', '')
  expect(shown.match(/é…\[cut\]/g)).toHaveLength(2)
  expect(shown.match(/é/g)).toHaveLength((3 * max) / 2)
  expect(shown).toContain('2textsarelongerthan2000characters.')
})
