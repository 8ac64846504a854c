// @module-tag long

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, ask, parameters } from '../kit/ask.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import {
  AMOUNTS,
  cellsOf,
  CHOICES,
  type Configuration,
  expectedFile,
  type Name,
  NAMES,
  printed,
  REPORT,
  sumOf,
  TEXTS,
  TOTALS,
} from '../oracles/presented-report.ts'

const { sandbox, gateway } = await serveSandbox([0], ({ folder }) => {
  const reports = join(folder, 'own-reports')
  mkdirSync(reports)
  writeFileSync(join(reports, 'every-kind.yaml'), REPORT)
  writeFileSync(join(reports, 'with-totals.yaml'), TOTALS)
  return { reports }
})
/** The cells of every column with the default configuration. */
let plain: readonly Readonly<Record<Name, string>>[]
beforeAll(async () => {
  const rows = TEXTS.map((description, index) => ({
    id: 1_000_000_000_000_000_000n + BigInt(index),
    createdAt: `2026-07-31 22:${String(10 + index)}:59.999`,
    amount: AMOUNTS[index % AMOUNTS.length] ?? '',
    description,
  }))
  await insertRows(gateway.engine, rows)
  const [, ...lines] = cellsOf(await askFor({ outputReportParameters: NAMES }), {})
  plain = lines.map((line) => {
    return Object.fromEntries(line.map((cell, index) => [NAMES[index], cell])) as Record<
      Name,
      string
    >
  })
})

/** Asks for a report of this file. */
async function askFor(
  request: Partial<ReportRequest>,
  configuration: Configuration = {},
  login: 'merchant' | 'operator' = 'merchant',
): Promise<Answer> {
  const asked = { reportIdentifier: 'every-kind', ...parameters({}, configuration), ...request }
  return await ask(gateway, sandbox.logins[login], asked)
}

/** Computes the expected report with some columns and a configuration. */
function expectedOf(columns: readonly Name[], configuration: Configuration) {
  const rows = plain.map((row) => columns.map((name) => printed(name, row[name], configuration)))
  const isHeadless = configuration['header'] === 'off'
  return {
    text: expectedFile(columns, rows, configuration),
    cells: isHeadless ? rows : [columns, ...rows],
    rows: String(rows.length),
    contentType: `text/csv; charset=UTF-8${isHeadless ? '; header=absent' : ''}`,
  }
}

/** Asks the gateway for the same report. Returns the file, its cells as a CSV parser reads them, and its metadata. */
async function writtenOf(columns: readonly Name[], configuration: Configuration) {
  const { delimiter: reportCsvDelimiter = ',', ...rest } = configuration
  const answer = await askFor({ outputReportParameters: columns, reportCsvDelimiter }, rest)
  return {
    text: answer.text,
    cells: cellsOf(answer, configuration),
    rows: answer.trailers['counterfoil-rows'],
    contentType: answer.headers['content-type'],
  }
}

/** Delimiters that need care. */
const DELIMITERS = Array.from("\\\t'|^][-0. =a\u0001\u007f\u00a6€\ufeff😀")

test('writes the values of the ledger by default', async () => {
  const [titles] = cellsOf(await askFor({ outputReportParameters: NAMES }), {})
  expect(titles).toEqual(NAMES)
  expect(plain.map(({ Text }) => Text)).toEqual(TEXTS)
  expect(plain.map(({ Code }) => Code)).toEqual(TEXTS)
  const amounts = AMOUNTS.map((amount) => Number(amount).toFixed(3))
  expect(plain.slice(0, amounts.length).map(({ Money }) => Money)).toEqual(amounts)
  expect(plain[0]).toMatchObject({
    Id: '1000000000000000000',
    Integer: '0',
    Date: '31.07.2026',
    Time: '2026-07-31 22:10:59',
    Ratio: '0.0000',
    Rate: '0',
    Nothing: '',
    Wanted: 'own-1000000000000000000',
  })
  expect(plain[1]).toMatchObject({
    Integer: '-1',
    Ratio: '-1.6667',
    Rate: '-0.7142',
    Money: '-5.000',
  })
})

describe('configurationReportParameters', () => {
  test.each(DELIMITERS)(
    'quote minimal quotes only fields that need it, delimited by %j',
    async (delimiter) => {
      const decimal = { lineEnd: 'LF', decimalSeparator: ',' }
      for (const change of [{ quote: 'minimal' }, { quote: 'minimal', ...decimal }, {}]) {
        const configuration = { ...change, delimiter }
        expect(await writtenOf(NAMES, configuration)).toEqual(expectedOf(NAMES, configuration))
      }
    },
  )

  test('give the same cells in any combination, byte for byte as expected', async () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
    const delimiter = fc.constantFrom(...ascii.filter((one) => !'"\r\n\0'.includes(one)))
    const choices = Object.entries(CHOICES).map(([name, values]) => {
      return [name, fc.constantFrom(...values)]
    })
    const configuration = fc.record(
      { ...Object.fromEntries(choices), delimiter },
      { requiredKeys: [] },
    )
    const columns = fc.shuffledSubarray(NAMES, { minLength: 1 })
    const holds = fc.asyncProperty(columns, configuration, async (asked, how) => {
      expect(await writtenOf(asked, how)).toEqual(expectedOf(asked, how))
    })
    await fc.assert(holds, { numRuns: 60 })
  })

  test('make a report without rows the header row, or empty', async () => {
    const nothing = { reportIdentifier: 'with-totals', ...parameters({ least: '999999999' }) }
    const titles = '"Type","Currency","Amount","Count"\n'
    expect((await askFor(nothing, { lineEnd: 'LF' })).text).toBe(titles)
    const empty = await askFor(nothing, { header: 'off' })
    expect(empty.text).toBe('')
    expect(empty.trailers).toMatchObject({ 'counterfoil-rows': '0' })
    expect((await askFor(nothing, { header: 'off', bom: 'on' })).text).toBe('\ufeff')
  })
})

describe('outputReportParameters', () => {
  test('choose columns, order and titles, by strings and by objects', async () => {
    const titles = ['Umsatz, "brutto"', 'Bestellung;№ 1', "it's 金額 😀"] as const
    const named = (name: string, value: string) => ({ type: 'INPUT_TEXT' as const, name, value })
    const [first, second, third] = titles
    const outputReportParameters = [
      named('Money', first),
      'Id',
      named('Wanted', second),
      named('Ratio', ''),
      named('Text', third),
    ]
    const [header, ...rows] = cellsOf(await askFor({ outputReportParameters }), {})
    expect(header).toEqual([first, 'Id', second, 'Ratio', third])
    expect(rows).toEqual(plain.map((row) => [row.Money, row.Id, row.Wanted, row.Ratio, row.Text]))
    const two = { outputReportParameters: [named('Money', first), named('Id', second)] }
    const minimal = await askFor(two, { quote: 'minimal' })
    expect(minimal.text.split('\r\n')[0]).toBe(`"Umsatz, ""brutto""",${second}`)
  })
})

test('totals follow the configuration, and hold only columns of the role', async () => {
  const request = { reportIdentifier: 'with-totals', reportCsvDelimiter: ';' }
  const style = { quote: 'minimal', decimals: '0', decimalSeparator: ',', lineEnd: 'LF' }
  const answer = await askFor(request, { totals: 'only', ...style }, 'operator')
  const sum = sumOf(plain.map(({ Money }) => Money))
    .replace('.', ',')
    .replace(/,?0*$/, '')
  expect(answer.text).toBe(
    `Type;Currency;Rows;Amount;Count;Margin\nsale;EUR;${plain.length};"${sum}";${plain.length};"-${sum}"\n`,
  )
})
