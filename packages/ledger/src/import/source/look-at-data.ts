import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { GatewayError } from '@counterfoil/common'
import type { SourceDatabase } from '@counterfoil/databases'
import { readBytes } from './read-bytes.ts'
import {
  HEAD_BYTES_MAX,
  readCsvHeader,
  readJsonMembers,
  readRecord,
  type WrittenCsv,
} from './read-columns.ts'

/** What the first rows of a file or table show. */
export interface Look {
  /** What a person calls the data. */
  readonly title: string
  /** Members of the head of a source. */
  readonly head: readonly string[]
  /** The values of each column in the first rows. */
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** The table of a database, and what the configuration calls the database. */
  readonly table?: { readonly database: string; readonly name: string }
}

const ROWS = 1000
const HEADER_LINES = 20
const CSV: WrittenCsv = { delimiter: ',', quotes: true }

/**
 * Looks at the first rows of a file.
 *
 * @throws {GatewayError} `ledger` if the file has no columns that can be read
 */
export async function lookAtFile(path: string): Promise<Look> {
  const title = basename(path)
  const { text, encoding } = await readStart(path)
  const head = encoding === 'utf-8' ? [] : [`encoding: ${encoding}`]
  if (/^\s*[[{]/.test(text)) {
    const members = readJsonMembers(text).map(({ name }) => name)
    return {
      title,
      head: /\.(json|jsonl|ndjson)/i.test(path) ? head : [...head, 'format: json'],
      columns: jsonValues(text, members),
    }
  }
  const lines = text.split('\n', HEADER_LINES)
  const [delimiter, most] = [',', ';', '\t', '|']
    .map((one) => [one, Math.max(...lines.map((line) => line.split(one).length))] as const)
    .reduce((best, one) => (one[1] > best[1] ? one : best))
  // Lines before the header have fewer fields.
  const skipLines = lines.findIndex((line) => line.split(delimiter).length === most)
  const written = { delimiter, quotes: true }
  const header = readCsvHeader(text, written, skipLines)
  if (header === undefined) {
    const expected =
      'expected CSV with a header row, or JSON. For other files, write a source by hand'
    throw new GatewayError('ledger', `${path}: ${expected}`)
  }
  const names = header.columns.map(({ name }) => name)
  const columns = valuesOf(names, text, header.length, written)
  if (delimiter !== ',') head.push(`delimiter: ${JSON.stringify(delimiter)}`)
  if (skipLines > 0) head.push(`skipLines: ${skipLines}   # DECIDE: is the next line the header?`)
  return { title, head, columns }
}

/**
 * Looks at the first rows of a table.
 *
 * @param name what the configuration calls the database
 * @param table its name in the SQL of the database
 * @throws {GatewayError} `ledger` if the database cannot be read
 */
export async function lookAtTable(
  database: SourceDatabase,
  name: string,
  table: string,
): Promise<Look> {
  const names = await database.columnsOf(`SELECT * FROM ${table}`)
  const rows = await buffer(database.read(`SELECT * FROM ${table} LIMIT ${ROWS}`))
  const columns = valuesOf(names, rows.toString(), 0, CSV)
  return { title: `${table} of ${name}`, head: [], columns, table: { database: name, name: table } }
}

/** The values of each column in the first rows of CSV after a place. */
function valuesOf(
  names: readonly string[],
  text: string,
  start: number,
  written: WrittenCsv,
): ReadonlyMap<string, readonly string[]> {
  const columns = names.map((): string[] => [])
  for (let [at, row] = [start, 0]; at < text.length && row < ROWS; row += 1) {
    const record = readRecord(text, at, written)
    if (record === undefined) break
    columns.forEach((values, place) => values.push(record.fields[place] ?? ''))
    at = record.end
  }
  return new Map(names.map((name, place) => [name, columns[place] ?? []]))
}

/** The values of members in lines of JSON. Other JSON has names only. */
function jsonValues(text: string, members: readonly string[]): Look['columns'] {
  const objects = text.split('\n', ROWS).flatMap((line): Record<string, unknown>[] => {
    try {
      const value: unknown = JSON.parse(line)
      return typeof value === 'object' && value !== null ? [{ ...value }] : []
    } catch {
      return []
    }
  })
  return new Map(members.map((name) => [name, objects.map((object) => textOf(object[name]))]))
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

/** Reads the start of a text. What is not UTF-8 is windows-1252. */
async function readStart(path: string): Promise<{ text: string; encoding: string }> {
  const pieces: Buffer[] = []
  for await (const bytes of readBytes(path)) {
    pieces.push(bytes)
    if (pieces.reduce((sum, { length }) => sum + length, 0) >= HEAD_BYTES_MAX) break
  }
  const start = Buffer.concat(pieces).subarray(0, HEAD_BYTES_MAX)
  const mark = start.toString('hex', 0, 2)
  if (mark === 'fffe' || mark === 'feff') {
    return {
      text: new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be').decode(start),
      encoding: 'utf-8',
    }
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
    return { text, encoding: 'utf-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(start), encoding: 'windows-1252' }
  }
}
