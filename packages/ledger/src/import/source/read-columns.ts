import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { GatewayError } from '@counterfoil/common'

export interface FileColumn {
  readonly name: string
  /** Whether Parquet marks its times as UTC. */
  readonly isUtc?: boolean
}

const COLUMNS_MAX = 2000

export interface WrittenCsv {
  readonly delimiter: string
  /** Whether quotes enclose values. */
  readonly quotes: boolean
}

/** Finds the columns in the start of a CSV file. A name that is there twice gets a number, and so does an empty one. */
export function readCsvHeader(start: string, written: WrittenCsv, skipLines: number) {
  const skipped = new RegExp(`^(?:[^\\n]*\\n){${skipLines}}`).exec(start)?.[0]
  const record = skipped === undefined ? undefined : readRecord(start, skipped.length, written)
  if (record === undefined || record.fields.every((name) => name.trim() === '')) return undefined
  const lines = start.slice(0, record.end).split('\n').length - 1
  return {
    columns: uniqueColumns(record.fields),
    /** How many characters the skipped lines and the header row have. */
    length: record.end,
    /** How many lines they are. */
    lines: Math.max(lines, skipLines + 1),
  }
}

/** Reads the row of CSV that begins at a place. Undefined if it is not well-formed, or has no end. */
export function readRecord(
  csv: string,
  start: number,
  { delimiter, quotes }: WrittenCsv,
): { readonly fields: readonly string[]; readonly end: number } | undefined {
  const end = delimiter === '|' ? '\\|' : delimiter
  const plain = `[^${delimiter}\\r\\n]*`
  const value = quotes ? `"(?:[^"]|"")*"|(?!")${plain}` : plain
  const field = new RegExp(`(${value})(${end}|\\r?\\n|$)`, 'y')
  field.lastIndex = start
  const fields: string[] = []
  for (;;) {
    const match = field.exec(csv)
    if (match === null) return undefined
    const [, text = '', after] = match
    const isQuoted = quotes && text.startsWith('"')
    fields.push(isQuoted ? text.slice(1, -1).replaceAll('""', '"') : text)
    if (after !== delimiter) return { fields, end: field.lastIndex }
  }
}

/** Names the columns: each once, without spaces around, and never empty. */
function uniqueColumns(names: readonly string[]): readonly FileColumn[] {
  const seen = new Map<string, number>()
  return names.map((text, at) => {
    const name = text.trim() === '' ? `column_${at + 1}` : text.trim()
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return { name: count === 1 ? name : `${name}_${count}` }
  })
}

/** Lists the members of the objects in the start of a JSON file: lines of objects, or one array of objects. */
export function readJsonMembers(start: string): readonly FileColumn[] {
  const names = new Set<string>()
  const token = /"((?:[^"\\]|\\.)*)"(\s*:)?|[[\]{}]/gs
  let depth = start.trimStart().startsWith('[') ? -1 : 0
  for (const [text, member, colon] of start.matchAll(token)) {
    if (text === '{' || text === '[') depth += 1
    else if (text === '}' || text === ']') depth -= 1
    else if (depth === 1 && colon !== undefined) names.add(memberName(member ?? ''))
  }
  return [...names].map((name) => ({ name }))
}

function memberName(text: string): string {
  const name: unknown = JSON.parse(`"${text}"`)
  return String(name)
}

/** Reads the columns of a Parquet file. Nested columns are left out. */
export async function readParquetColumns(path: string): Promise<readonly FileColumn[]> {
  try {
    const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(path))
    const columns: FileColumn[] = []
    let skip = 0
    for (const {
      name,
      num_children: children,
      logical_type: type,
      converted_type: old,
    } of schema.slice(1)) {
      if (skip > 0) skip += (children ?? 0) - 1
      else if (children) skip = children
      else {
        const isUtc =
          type?.type === 'TIMESTAMP' ? type.isAdjustedToUTC : (old ?? '').startsWith('TIMESTAMP')
        columns.push({ name, isUtc })
      }
    }
    return columns
  } catch (cause) {
    throw new GatewayError('ledger', `${path}: expected a Parquet file`, { cause })
  }
}

export function requireColumns(
  path: string,
  columns: readonly FileColumn[],
): readonly FileColumn[] {
  if (columns.length > 0 && columns.length <= COLUMNS_MAX) return columns
  const expected = `expected 1 to ${COLUMNS_MAX} columns, got ${columns.length}`
  throw new GatewayError('ledger', `${path}: ${expected}`)
}
