import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { writeXlsxStream } from 'hucre/xlsx'
import PdfKit from 'pdfkit'
import { readWithCurl } from './ask.ts'
import { compare, type Comparison, limited } from './compare.ts'
import { withGateway } from './gateway.ts'
import { overIdleMiB } from './memory.ts'

const ROWS = 500_000

/** How a format is measured. */
interface Measured {
  readonly format: 'PDF' | 'XLSX'
  readonly referenceName: string
  readonly referenceRows: number
  readonly write: (rows: number) => Promise<void>
  readonly atLeast: number
  readonly overIdleMiB: number
}

const FORMATS: readonly Measured[] = [
  {
    format: 'PDF',
    referenceName: 'pdfkit’s text(), 10,000 rows',
    // pdfkit’s own texts take minutes for all rows, so it makes some, and the rates are compared.
    referenceRows: 10_000,
    write: writeWithPdfkit,
    atLeast: 5,
    overIdleMiB: 250,
  },
  {
    format: 'XLSX',
    referenceName: 'hucre, streaming writer',
    referenceRows: ROWS,
    write: writeWithHucre,
    atLeast: 1,
    overIdleMiB: 200,
  },
]

/**
 * Compares the processor time of a document over HTTP with that of a library in this process, which gets rows like
 * those of the report from memory. Measures the memory of the gateway that writes the document.
 */
export async function measureFormats(): Promise<readonly Comparison[]> {
  const size = `${ROWS.toLocaleString('en')} rows`
  const comparisons: Comparison[] = []
  for (const { format, referenceName, referenceRows, write, atLeast, ...limits } of FORMATS) {
    const request = { reportIdentifier: 'transactions-list', reportFormat: format } as const
    await withGateway({ rows: ROWS }, async (gateway) => {
      let peakMiB = 0
      const ours = async () => {
        await gateway.usage()
        await readWithCurl(gateway, gateway.operators[0], request)
        const usage = await gateway.usage()
        peakMiB = Math.max(peakMiB, overIdleMiB(gateway, usage))
        return (ROWS * 1000) / usage.cpuMs
      }
      const reference = async () => {
        const before = process.cpuUsage()
        await write(referenceRows)
        const { user, system } = process.cpuUsage(before)
        return (referenceRows * 1_000_000) / (user + system)
      }
      const unit = 'rows for each second of processor time'
      const compared = { name: `${format} over HTTP, ${size}`, unit, referenceName, atLeast }
      comparisons.push(await compare(compared, 1, ours, reference))
      const name = `memory of a report of ${size} as ${format}`
      comparisons.push(limited(name, 'MiB over idle', peakMiB, 'the limit', limits.overIdleMiB))
    })
  }
  return comparisons
}

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

async function writeWithPdfkit(rows: number): Promise<void> {
  const formats = createRequire(new URL('../packages/formats/package.json', import.meta.url))
  const font = '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'
  const page = { size: [842, 595], margin: 40 }
  const document = new PdfKit(page)
  document.resume()
  document.font(readFileSync(formats.resolve(font)))
  document.fontSize(8)
  let y = 40
  for (let index = 0; index < rows; index += 1) {
    if (y > 530) {
      document.addPage(page)
      y = 40
    }
    for (const [column, text] of rowOf(index).entries()) {
      document.text(text, 40 + column * 84, y, { lineBreak: false })
    }
    y += 14
  }
  document.end()
  await once(document, 'end')
}

async function writeWithHucre(rows: number): Promise<void> {
  const columns = rowOf(0).map((_, index) => ({ header: `Column ${index}` }))
  const cells = function* () {
    for (let index = 0; index < rows; index += 1) {
      yield rowOf(index).map((text, column) => CELLS[column]?.(text) ?? text)
    }
  }
  for await (const _ of writeXlsxStream(cells(), { name: 'Transactions', columns }));
}

/** The columns whose cells are no texts. */
const CELLS: Readonly<Record<number, (text: string) => Date | number>> = {
  3: (text) => new Date(`${text.replace(' ', 'T')}Z`),
  4: Number,
  8: (text) => new Date(text.split('.').toReversed().join('-')),
}
