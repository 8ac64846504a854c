import { Writable } from 'node:stream'
import type { ReportRequest } from '@counterfoil/protocol'
import { printed } from '../packages/engine/src/dialect/print-columns.ts'
import { readRecords, recordOf } from '../packages/formats/src/documents/records.ts'
import { type BenchGateway, openBenchGateway } from './bench-gateway.ts'
import { selectOf } from './bench-plan.ts'
import { type Comparison, limited } from './comparison.ts'
import { installPeers, requirePeer } from './peers.ts'
import { readWithCurl } from './read-with-curl.ts'
import { takeTurns } from './rounds.ts'
import { peakOf, withGateway } from './with-gateway.ts'

const ROWS = 500_000
const WORKBOOK: ReportRequest = { reportIdentifier: 'transactions-list', reportFormat: 'XLSX' }
const MIB = 1024 * 1024
const OVER_IDLE_MIB = 200

/** The part of exceljs that the bench uses. */
interface ExcelJs {
  readonly stream: {
    readonly xlsx: {
      readonly WorkbookWriter: new (options: {
        readonly stream: Writable
        readonly useStyles: boolean
        readonly useSharedStrings: boolean
      }) => Workbook
    }
  }
}

interface Workbook {
  readonly addWorksheet: (name: string) => Worksheet
  readonly commit: () => Promise<void>
}

interface Worksheet {
  columns: readonly { readonly header: string; readonly style: { readonly numFmt: string } }[]
  readonly addRow: (values: readonly unknown[]) => { readonly commit: () => void }
  readonly commit: () => void
}

/**
 * Compares the processor time of a workbook over HTTP with that of the streaming writer of exceljs on the same rows of
 * the same engine. Measures the memory of a gateway that writes workbooks.
 */
export async function measureXlsx(): Promise<readonly Comparison[]> {
  installPeers()
  const size = `${ROWS.toLocaleString('en')} rows`
  const bench = await openBenchGateway(ROWS)
  try {
    const asked = { reportUrl: bench.gateway.reportUrl, operator: bench.operators[0] }
    const ours = () => rate(async () => void (await readWithCurl(asked, WORKBOOK)))
    const reference = () => rate(async () => await writeWithExcelJs(bench))
    return [
      {
        name: `XLSX over HTTP, ${size}`,
        unit: 'rows for each second of processor time',
        referenceName: 'exceljs, streaming writer',
        ...(await takeTurns(1, ours, reference)),
        atLeast: 10,
      },
    ]
  } finally {
    await bench.gateway.close()
  }
}

/** Measures the memory of a gateway in its own process. */
export async function measureXlsxMemory(): Promise<readonly Comparison[]> {
  const overIdle = await withGateway(ROWS, async (process, { reportUrl, operators, idleBytes }) => {
    for (let read = 0; read < 3; read += 1) {
      await readWithCurl({ reportUrl, operator: operators[0] }, WORKBOOK)
    }
    return ((await peakOf(process)) - idleBytes) / MIB
  })
  const name = `memory of an XLSX report of ${ROWS.toLocaleString('en')} rows`
  return [limited(name, 'MiB over idle', overIdle, 'the limit', OVER_IDLE_MIB)]
}

async function rate(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (ROWS * 1_000_000) / (user + system)
}

/** A column whose cells are no texts. */
interface NumberColumn {
  readonly numFmt: string
  readonly read: (text: string) => Date | number
}

const NUMBERS: Readonly<Record<number, NumberColumn>> = {
  3: { numFmt: 'yyyy-mm-dd hh:mm:ss', read: (text) => new Date(`${text.replace(' ', 'T')}Z`) },
  4: { numFmt: '#,##0.00', read: Number },
  8: { numFmt: 'dd.mm.yyyy', read: (text) => new Date(text.split('.').toReversed().join('-')) },
}

async function writeWithExcelJs({ engine }: BenchGateway): Promise<void> {
  const exceljs: ExcelJs = requirePeer('exceljs')
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() })
  const options = { stream, useStyles: true, useSharedStrings: false }
  const workbook = new exceljs.stream.xlsx.WorkbookWriter(options)
  const sheet = workbook.addWorksheet('Transactions')
  const query = selectOf(WORKBOOK, (columns) => {
    return [`${recordOf(columns.map((column) => printed(column.kind, column.sql)))} AS _row`]
  })
  let written = 0
  for await (const records of readRecords(
    await engine.stream(query, new AbortController().signal),
  )) {
    for (const fields of records) {
      if (written === 0) {
        sheet.columns = fields.map((_, index) => {
          return { header: `Column ${index}`, style: { numFmt: NUMBERS[index]?.numFmt ?? '@' } }
        })
      }
      sheet.addRow(fields.map((text, index) => NUMBERS[index]?.read(text) ?? text)).commit()
      written += 1
    }
  }
  sheet.commit()
  await workbook.commit()
  if (written !== ROWS) throw new Error(`expected ${ROWS} rows, got ${written}`)
}
