import { type Engine, literal } from '@counterfoil/engine'
import { joinLines } from './join-lines.ts'

/** Some rows of a table, and what tells them apart. */
export interface ComparedRows {
  readonly engine: Pick<Engine, 'stream'>
  /** The name of the table in this engine. */
  readonly name: string
  /** An expression that chooses the rows, and its value. */
  readonly piece: readonly [expression: string, value: string]
  /** An expression: two rows are the same row if it has the same value. */
  readonly identity: string
  /** An expression: of two rows that are the same row, the one with the higher number is newer. */
  readonly version: string
}

const TEXT_LENGTH = 1024 ** 2
const SORT_BYTES_MAX = 128 * 1024 ** 2

/**
 * Returns whether `there` has a row that `here` lacks, or a newer version of a row. Both engines sort the hashes of
 * their rows, and the function merges the two sorted streams, so that a month of any size takes little memory.
 */
export async function hasOtherRows(here: ComparedRows, there: ComparedRows): Promise<boolean> {
  const own = readVersions(here)
  try {
    let next = await own.next()
    for await (const row of readVersions(there)) {
      while (!next.done && next.value.hash < row.hash) next = await own.next()
      if (next.done || next.value.hash !== row.hash) return true
      if (next.value.version < row.version) return true
    }
    return false
  } finally {
    await own.return()
  }
}

interface RowVersion {
  readonly hash: string
  readonly version: bigint
}

async function* readVersions({
  engine,
  name,
  piece: [expression, value],
  identity,
  version,
}: ComparedRows): AsyncGenerator<RowVersion, void> {
  const hash = `sipHash64(${identity})`
  const row = `concat(leftPad(hex(${hash}), 16, '0'), ' ', toString(${version}), '\\n')`
  const chunks = await engine.stream(
    {
      sql: `SELECT ${row} AS _row FROM ${name} FINAL WHERE ${expression} = ${literal(value)} ORDER BY ${hash}`,
      parameters: {},
      settings: {
        readonly: 1,
        max_execution_time: 0,
        max_bytes_before_external_sort: SORT_BYTES_MAX,
      },
      role: 'owner',
      format: 'RawBLOB',
    },
    new AbortController().signal,
  )
  for await (const lines of joinLines(chunks, TEXT_LENGTH)) {
    for (const line of lines.trimEnd().split('\n')) {
      const [digits = '', number = ''] = line.split(' ')
      yield { hash: digits, version: BigInt(number) }
    }
  }
}
