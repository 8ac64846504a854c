// Makes one PDF document in this process, and sends what it measured to the parent: pdf-makers.ts MAKER ROWS.

import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import * as z from 'zod'
import { PLAIN_STYLE } from '../packages/engine/src/dialect/column-kinds.ts'
import { configSchema } from '../packages/gateway/src/config/schema.ts'
import type { FileColumn } from '../packages/formats/src/format/format.ts'
import { pdf } from '../packages/formats/src/pdf/pdf.ts'
import { requirePeer } from './peers.ts'

const COLUMNS: readonly FileColumn[] = [
  { title: 'Merchant_Name', kind: 'text' },
  { title: 'Transaction_id', kind: 'id' },
  { title: 'Merchant_OID', kind: 'id' },
  { title: 'Created_date', kind: 'time' },
  { title: 'Amount', kind: 'money' },
  { title: 'Currency', kind: 'text' },
  { title: 'Transaction_type', kind: 'text' },
  { title: 'Order_description', kind: 'text' },
  { title: 'Date_of_report', kind: 'date' },
]
/** The rows of a chunk of the engine. */
const CHUNK_ROWS = 8192
/** How often the memory is read. */
const SAMPLE_MS = 5

const own = createRequire(new URL('../packages/formats/package.json', import.meta.url))
const FONT = own.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf')

const MAKERS: Readonly<Record<string, (rows: number) => Promise<void>>> = {
  ours: makeOurs,
  pdfkit: makeWithPdfkit,
}

const [maker = '', rowsText = ''] = process.argv.slice(2)
const rows = Number(rowsText)
const make = MAKERS[maker]
if (!make) throw new Error(`expected one of ${Object.keys(MAKERS).join(', ')}, got ${maker}`)
// A first document loads the code and the fonts, as a gateway does that has made one.
await make(1000)
globalThis.gc?.()
await setTimeout(200)
const idleBytes = process.memoryUsage.rss()
let peakBytes = idleBytes
const sampling = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}, SAMPLE_MS)
const [startedAt, before] = [performance.now(), process.cpuUsage()]
await make(rows)
const { user, system } = process.cpuUsage(before)
const seconds = (performance.now() - startedAt) / 1000
peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
clearInterval(sampling)
process.send?.({
  rowsPerCpuSecond: (rows * 1_000_000) / (user + system),
  rowsPerSecond: rows / seconds,
  overIdleBytes: peakBytes - idleBytes,
})
process.disconnect()

function rowOf(index: number): readonly string[] {
  return [
    'Acme Books Ltd',
    String(9_000_000_000_000_000 + index * 7919),
    `order-${index}`,
    `2026-10-${String(1 + (index % 28)).padStart(2, '0')} 12:30:07`,
    (((index * 7919) % 1_000_000) / 1000).toFixed(3),
    'EUR',
    ['sale', 'reversal', 'chargeback'][index % 3] ?? '',
    index % 2 === 0 ? 'Monthly subscription' : 'Order 4711, two items',
    '22.11.2026',
  ]
}

async function makeOurs(count: number): Promise<void> {
  const style = {
    encoding: 'UTF-8',
    delimiter: ',',
    header: true,
    quoteAll: true,
    lineEnd: '\n',
    byteOrderMark: false,
    refuseUnencodable: false,
    paper: 'A4',
  } as const
  const about = {
    title: 'Transactions',
    note: undefined,
    name: 'bench',
    identifier: 'transactions-list',
    login: 'bench',
    timezone: 'UTC',
    parameters: {},
    filters: {},
    madeAt: 0,
    runId: 'bench',
    schemaHash: 'bench',
  }
  // A gateway with these settings counts the rows first, and tags a document of few rows.
  const { rowsMax, taggedRowsMax } = configSchema.in.shape.formats.parse({}).pdf
  const settings = { pdf: { rowsMax, taggedRowsMax } }
  const values = PLAIN_STYLE
  const plan = pdf.plan({ columns: COLUMNS, values, style, sums: undefined, about, settings })
  await plan.check?.read(dotsOf(count))
  let bytes = 0
  for await (const piece of plan.write(chunksOf(count))) bytes += piece.bytes.length
  if (bytes === 0) throw new Error('expected a document')
}

/** A byte for each row, as the engine answers the query that counts them. */
async function* dotsOf(count: number) {
  yield { bytes: Buffer.alloc(count, '.'), rows: count }
}

/** Chunks as the engine sends them. All hold the same rows, so that making them takes no time. */
async function* chunksOf(count: number) {
  const records = Array.from(
    { length: CHUNK_ROWS },
    (_, index) => `${rowOf(index).join('\x1f')}\x1e`,
  )
  const bytes = Buffer.from(records.join(''))
  for (let start = 0; start < count; start += CHUNK_ROWS) {
    const length = Math.min(CHUNK_ROWS, count - start)
    const isComplete = length === CHUNK_ROWS
    // A copy: whoever reads a chunk frees its memory.
    yield {
      bytes: isComplete ? Uint8Array.from(bytes) : Buffer.from(records.slice(0, length).join('')),
      rows: length,
    }
  }
}

/** The parts of pdfkit that this file uses. */
interface KitDocument {
  on(event: 'data' | 'end', listener: () => void): this
  once(event: 'end', listener: () => void): this
  font(file: string): this
  fontSize(size: number): this
  text(text: string, x: number, y: number, options: { readonly lineBreak: false }): this
  addPage(): this
  end(): void
}

async function makeWithPdfkit(count: number): Promise<void> {
  const Kit = z
    .custom<new (options: object) => KitDocument>((value) => typeof value === 'function')
    .parse(requirePeer('pdfkit'))
  const document = new Kit({ size: 'A4', layout: 'landscape', margin: 40 })
  document.on('data', () => {})
  const ended = new Promise<void>((resolve) => {
    document.once('end', resolve)
  })
  document.font(FONT).fontSize(8)
  let y = 40
  for (let index = 0; index < count; index += 1) {
    if (y > 530) {
      document.addPage()
      y = 40
    }
    for (const [column, text] of rowOf(index).entries()) {
      document.text(text, 40 + column * 84, y, { lineBreak: false })
    }
    y += 14
  }
  document.end()
  await ended
}
