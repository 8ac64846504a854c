import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { ask, LIST, parameters, problemIn } from '../kit/ask.ts'
import { readPdf } from '../kit/read-pdf.ts'
import { EVERY_REPORT, type Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const ROWS_MAX = 200
const { sandbox, gateway } = await serveSandbox([6000, EVERY_REPORT], {
  formats: { pdf: { rowsMax: ROWS_MAX } },
})
const IDENTIFIERS = EVERY_REPORT.map((file) => file.replace('.yaml', ''))
const PERIOD = parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-08' })

const joined = (texts: readonly string[]): string => texts.join('').replaceAll(/\s/g, '')
const parsed = (csv: string): string[][] => parse(csv)

describe.each(IDENTIFIERS)('%s', (reportIdentifier) => {
  test('has the values of the CSV in their order, and totals', async () => {
    const request = { reportIdentifier, ...PERIOD }
    const login =
      sandbox.logins[reportIdentifier === 'order-reconciliation' ? 'merchant' : 'operator']
    const csv = await ask(gateway, login, request)
    const [titles = [], ...rows] = parsed(csv.text)
    // A report that names its columns is a table, even if its file has a layout of its own.
    const table = { ...request, outputReportParameters: titles, reportFormat: 'PDF' }
    const answer = await ask(gateway, login, table)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/pdf'])
    expect(answer.trailers['counterfoil-rows']).toBe(csv.trailers['counterfoil-rows'])
    const only = parameters({ totals: 'only' }).inputReportParameters
    const totals = await ask(gateway, login, { ...request, configurationReportParameters: only })
    const [keys = [], ...groups] = parsed(totals.text)
    const { pages } = await readPdf(answer.bytes)
    const [header, totalsHeader] = [joined(titles), joined(keys)]
    const body = pages.map(({ texts }, index) => {
      const text = joined(texts.slice(0, -3))
      expect(joined(texts.slice(-2))).toBe(`Page${index + 1}of${pages.length}`)
      // The first page begins with what the report is.
      const start = index === 0 ? text.indexOf(header) : 0
      return text.slice(start).replaceAll(header, '').replaceAll(totalsHeader, '')
    })
    // The suite of charts reads the pages after the totals.
    const charts = pages.findIndex(({ texts }) => texts[0] === 'Charts')
    const before = charts < 0 ? body : body.slice(0, charts)
    const [written = '', sums = ''] = before.join('').split('Totals')
    expect(written).toBe(joined(rows.flat()))
    // Groups without a value come first here, and last in the engine's order.
    for (const group of groups) expect(sums).toContain(joined(group))
    expect(sums).toHaveLength(joined(groups.flat()).length)
  })
})

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
