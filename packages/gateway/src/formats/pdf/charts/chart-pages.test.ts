import { expect, test } from 'vitest'
import { readPdfRows } from '../../../../test/kit/read-pdf-rows.ts'
import { reportFile } from '../../../../test/kit/report-file.ts'
import type { FileChart } from '../../layouts.ts'
import { pdf } from '../pdf.ts'

const COLUMN = { title: 'Any', kind: 'text', sql: 'any' } as const

/** Writes a report with a chart of shares for each field of its rows, and returns the texts of its last page. */
async function chartsOf(rows: readonly (readonly string[])[]): Promise<string> {
  const charts = (rows[0] ?? []).map((_, index): FileChart => {
    return { chart: 'shares', title: `Shares ${index}`, by: COLUMN, count: undefined }
  })
  const plan = pdf.plan(reportFile([{ title: 'Any', kind: 'text' }], {}, { charts }))
  const records = rows.map((row) => ['x', ...row.flatMap((name) => [name, '1'])].join('\x1f'))
  const chunks = async function* () {
    yield { bytes: Buffer.from(records.map((record) => `${record}\x1e`).join('')), rows: 1 }
  }
  const pieces: Uint8Array[] = []
  for await (const { bytes } of plan.write(chunks())) pieces.push(bytes)
  return (await readPdfRows(Buffer.concat(pieces))).slice(1).flat(2).join(' ')
}

test('a long name leaves every chart on its page', async () => {
  const texts = await chartsOf([['name '.repeat(400), 'second', 'third']])
  expect(texts).toMatch(/Shares 0 .* Shares 1 .* Shares 2/)
  expect(texts).toContain('… [cut]')
  expect(texts).toContain('third')
})

test('charts that do not fit on a page go on to the next one', async () => {
  const rows = Array.from({ length: 16 }, (_, index) => {
    return Array.from({ length: 6 }, (_field, field) => `name ${field}-${index}`)
  })
  const texts = await chartsOf(rows)
  for (let field = 0; field < 6; field += 1) {
    expect(texts).toContain(`Shares ${field}`)
    expect(texts).toContain(`name ${field}-15`)
  }
})
