import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  type CatalogueReport,
  CounterfoilClient,
  type ReportOptions,
  type Row,
  type RowForm,
  readRows,
} from '@counterfoil/client'
import { parse } from 'csv-parse'
import { openBenchGateway } from './bench-gateway.ts'
import type { Comparison } from './comparison.ts'
import { takeTurns } from './rounds.ts'

const ROWS = 500_000
const ROUNDS = 5
const REPORT = 'transactions-list'
const PEERS = join(import.meta.dirname, 'peers')

/** The part of papaparse that the bench uses. */
interface PapaParse {
  readonly parse: (
    input: Readable,
    options: {
      readonly header: boolean
      readonly skipEmptyLines: boolean
      readonly chunk: (results: { readonly data: readonly object[] }) => void
      readonly complete: () => void
      readonly error: (error: Error) => void
    },
  ) => void
}

type Chunks = readonly Uint8Array[]

/**
 * Compares the client's reader of rows with other readers of CSV, on the bytes of a real report. All give an object for
 * each row.
 */
export async function measureRows(): Promise<readonly Comparison[]> {
  spawnSync('node', ['scripts/install.js', PEERS], { stdio: 'inherit' })
  const { report, csv, lines } = await requestReports()
  const columns = report.columns
    .filter(({ optional }) => !optional)
    .map(({ name, kind }) => ({ title: name, kind }))

  const typed = () => rate(countRows(csv, { columns }))
  const typedLines = () => rate(countRows(lines, { format: 'JSONL', columns }))
  const papaparse = () => rate(countWithPapaParse(csv))
  const csvParse = () => rate(countWithCsvParse(csv))
  const size = `${ROWS.toLocaleString('en')} rows`
  const unit = 'rows for each second of processor time'
  return [
    {
      name: `typed rows of a CSV, ${size}`,
      unit,
      referenceName: 'papaparse, streaming, on the same bytes',
      ...(await takeTurns(ROUNDS, typed, papaparse)),
      atLeast: 2,
    },
    {
      name: `typed rows of a CSV, ${size}`,
      unit,
      referenceName: 'csv-parse, on the same bytes',
      ...(await takeTurns(ROUNDS, typed, csvParse)),
      atLeast: 2,
    },
    {
      name: `typed rows of JSON lines, ${size}`,
      unit,
      referenceName: 'papaparse, streaming, on the CSV of these rows',
      ...(await takeTurns(ROUNDS, typedLines, papaparse)),
    },
  ]
}

/** Requests the report in both formats, as `client.rows` does, and keeps the bytes as they arrived. */
async function requestReports() {
  const { gateway, operators } = await openBenchGateway(ROWS)
  try {
    const [{ login, controlKey = '' }] = operators
    const client = new CounterfoilClient({ endpoint: gateway.reportUrl, login, controlKey })
    const { reports } = await client.catalogue()
    const report = reports.find(({ reportIdentifier }) => reportIdentifier === REPORT)
    if (!report) throw new Error(`expected the report ${REPORT}`)
    const configuration = { dateFormat: 'ISO', decimals: '0' }
    const csv = await bytesOf(client, { configuration })
    const lines = await bytesOf(client, { format: 'JSONL' })
    return { report, csv, lines } satisfies { report: CatalogueReport; csv: Chunks; lines: Chunks }
  } finally {
    await gateway.close()
  }
}

async function bytesOf(client: CounterfoilClient, options: ReportOptions): Promise<Chunks> {
  const { body } = await client.report(REPORT, options)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return chunks
}

/** Measures a function that returns how many rows it read. */
async function rate(counted: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage()
  const rows = await counted()
  const { user, system } = process.cpuUsage(before)
  if (rows !== ROWS) throw new Error(`expected ${ROWS} rows, got ${rows}`)
  return (ROWS * 1_000_000) / (user + system)
}

function countRows(chunks: Chunks, form: RowForm): () => Promise<number> {
  return async () => await count(readRows(Readable.from(chunks), form))
}

function countWithCsvParse(chunks: Chunks): () => Promise<number> {
  return async () => await count(Readable.from(chunks).pipe(parse({ columns: true })))
}

async function count(rows: AsyncIterable<Row>): Promise<number> {
  let total = 0
  for await (const row of rows) if ('Amount' in row) total += 1
  return total
}

function countWithPapaParse(chunks: Chunks): () => Promise<number> {
  const library: PapaParse = createRequire(join(PEERS, 'package.json'))('papaparse')
  return async () => {
    let total = 0
    await new Promise<void>((resolve, reject) => {
      library.parse(Readable.from(chunks), {
        header: true,
        skipEmptyLines: true,
        chunk: ({ data }) => {
          for (const row of data) if ('Amount' in row) total += 1
        },
        complete: resolve,
        error: reject,
      })
    })
    return total
  }
}
