import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InputParameter, ReportRequest } from '@counterfoil/protocol'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type Answer, ask } from '../kit/ask.ts'
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
export let plain: readonly Readonly<Record<Name, string>>[]
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

function list(values: Configuration): readonly InputParameter[] {
  return Object.entries(values).map(([name, value]) => ({ type: 'INPUT_TEXT', name, value }))
}

/** Asks for a report of this file. */
export async function askFor(
  request: Partial<ReportRequest>,
  configuration: Configuration = {},
  login: 'merchant' | 'operator' = 'merchant',
): Promise<Answer> {
  return await ask(gateway, sandbox.logins[login], {
    reportIdentifier: 'every-kind',
    configurationReportParameters: list(configuration),
    ...request,
  })
}

/** Computes the expected report with some columns and a configuration. */
export function expectedOf(columns: readonly Name[], configuration: Configuration) {
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
export async function writtenOf(columns: readonly Name[], configuration: Configuration) {
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
export const DELIMITERS = Array.from("\\\t'|^][-0. =a\u0001\u007f\u00a6€\ufeff😀")

/** Tests delimiters with minimal quotes. */
export function testDelimiters(delimiters: readonly string[]): void {
  test.each(delimiters)(
    'quote minimal quotes only fields that need it, delimited by %j',
    async (delimiter) => {
      const decimal = { lineEnd: 'LF', decimalSeparator: ',' }
      for (const change of [{ quote: 'minimal' }, { quote: 'minimal', ...decimal }, {}]) {
        const configuration = { ...change, delimiter }
        expect(await writtenOf(NAMES, configuration)).toEqual(expectedOf(NAMES, configuration))
      }
    },
  )
}

/** Tests random combinations of the configuration. */
export function testCombinations(numRuns: number): void {
  test('give the same cells in any combination, byte for byte as expected', async () => {
    const delimiter = fc.constantFrom(
      ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter(
        (character) => !'"\r\n\0'.includes(character),
      ),
    )
    const choices = Object.entries(CHOICES).map(([name, values]) => [
      name,
      fc.constantFrom(...values),
    ])
    const configuration = fc.record(
      { ...Object.fromEntries(choices), delimiter },
      { requiredKeys: [] },
    )
    const columns = fc.shuffledSubarray(NAMES, { minLength: 1 })
    const holds = fc.asyncProperty(columns, configuration, async (asked, how) => {
      expect(await writtenOf(asked, how)).toEqual(expectedOf(asked, how))
    })
    await fc.assert(holds, { numRuns })
  })
}
