import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { FileColumn, ReportFile } from '../format.ts'
import { reportFile } from '../../../test/kit/report-file.ts'
import { readPdf } from '../../../test/kit/read-pdf.ts'
import { pdf } from './pdf.ts'

/** The columns of the usual file. */
export const COLUMNS: readonly FileColumn[] = [
  { title: 'Merchant', kind: 'text' },
  { title: 'Created', kind: 'time' },
  { title: 'Amount', kind: 'money' },
  { title: 'Description', kind: 'text' },
]

/** The usual file. */
export const FILE = reportFile(COLUMNS, {
  title: 'Transactions',
  name: 'october',
  identifier: 'transactions-list',
  login: 'merchant-1',
  timezone: 'Europe/Berlin',
  parameters: { dateFrom: '2026-09-30 22:00:00.000', dateTo: '2026-10-31 23:00:00.000' },
  madeAt: Date.UTC(2026, 10, 22, 12),
  runId: 'run-1',
})

/** Writes a file. */
export async function fileOf(
  rows: readonly (readonly string[])[],
  change: Partial<ReportFile> = {},
): Promise<Buffer> {
  const chunks = async function* () {
    yield {
      bytes: Buffer.from(rows.map((row) => `${row.join('\x1f')}\x1e`).join('')),
      rows: rows.length,
    }
  }
  const pieces: Uint8Array[] = []
  for await (const { bytes } of pdf.plan({ ...FILE, ...change }).write(chunks())) pieces.push(bytes)
  return Buffer.concat(pieces)
}

/** Makes a file, and returns its texts and how long others waited at most, in milliseconds. */
export async function waitOf(
  rows: readonly (readonly string[])[],
  change: Partial<ReportFile> = {},
): Promise<{ readonly texts: readonly string[]; readonly waitMs: number }> {
  // The first document reads the fonts.
  await fileOf([])
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await setTimeout(10)
  const bytes = await fileOf(rows, change)
  // The delay counts when the loop turns again.
  await setTimeout(10)
  delay.disable()
  const { pages } = await readPdf(bytes)
  return { texts: pages.flatMap(({ texts }) => texts), waitMs: delay.max / 1e6 }
}

/** Writes texts of the greatest length, and returns how long others waited at most, in milliseconds. */
export async function writeLongTexts(count: number): Promise<number> {
  const words = 'يجب أن يلتف '.repeat(170).slice(0, 2_000)
  const rows = Array.from({ length: count }, (_, index) => {
    return ['a', 'b', '1.000', `${String(index).padStart(4, '0')}${words.slice(4)}… [cut]`]
  })
  rows.push(['a', 'b', '1.000', 'a text that only ends in… [cut]'])
  const { texts, waitMs } = await waitOf(rows)
  expect(texts.join(' ')).toContain(`${count} texts are longer than 2000 characters.`)
  return waitMs
}
