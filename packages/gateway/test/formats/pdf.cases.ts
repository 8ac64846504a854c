import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { readYaml } from '../../src/config/read-yaml.ts'
import { readExponents } from '../../src/report/read-exponents.ts'
import { currencyOf, templateSchema } from '../../src/templates/template.ts'
import { ask, parameters } from '../kit/ask.ts'
import { readPdf } from '../../../pdf-writer/test/kit/read-pdf.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** The maximum of the rows of a PDF. */
export const ROWS_MAX = 200
export const { sandbox, gateway } = await serveSandbox([6000, EVERY_REPORT], {
  formats: { pdf: { rowsMax: ROWS_MAX } },
})
const PERIOD = parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-08' })

/** Joins texts without their spaces. */
export const joined = (texts: readonly string[]): string => texts.join('').replaceAll(/\s/g, '')
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
export function describeReport(reportIdentifier: string): void {
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
