import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'

/** The metadata of a Parquet file. */
export interface ParquetFile {
  readonly columns: readonly ParquetColumn[]
  readonly rows: number
}

/** A column of a Parquet file. */
export interface ParquetColumn {
  readonly name: string
  /** Whether the column holds times. Local times have no zone. */
  readonly holds: 'instants' | 'local times' | 'other values'
}

const metadataRow = z.object({
  num_rows: z.coerce.number(),
  columns: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      physical_type: z.string(),
      logical_type: z.string(),
    }),
  ),
})

/**
 * Reads the metadata of a Parquet file.
 *
 * @throws {GatewayError} `ledger` if the file is not Parquet, or if it has lists or records
 */
export async function describeParquet(
  engine: Queries,
  source: string,
  path: string,
): Promise<ParquetFile> {
  const [metadata] = await readRows(engine, metadataRow, {
    sql: "SELECT num_rows, columns FROM file({path:String}, 'ParquetMetadata')",
    parameters: { path },
    // With `readonly`, the engine does not read files.
    settings: { readonly: 0 },
  }).catch((cause: unknown) => {
    throw new GatewayError('ledger', `${source}: expected a Parquet file`, { cause })
  })
  const { num_rows: rows = 0, columns = [] } = metadata ?? {}
  // The path of a list or record is longer than its name. The engine does not accept names with a backslash.
  const odd = columns.filter(({ name, path: place }) => name !== place || name.includes('\\'))
  if (odd.length > 0) {
    const names = odd.map(({ path: place }) => JSON.stringify(place)).join(', ')
    throw new GatewayError('ledger', `${source}: expected columns of plain values, got ${names}`)
  }
  return {
    columns: columns.map(({ name, physical_type: physical, logical_type: logical }) => {
      const isTime = physical === 'INT96' || logical.startsWith('Timestamp')
      const isLocal = logical.includes('isAdjustedToUTC=false')
      return { name, holds: isTime ? (isLocal ? 'local times' : 'instants') : 'other values' }
    }),
    rows,
  }
}

/** Returns SQL: a column's value as text, in the format that the checks read. */
export function parquetText({ holds }: ParquetColumn, identifier: string): string {
  if (holds === 'other values') return `toString(${identifier})`
  const clock = `toString(${identifier}, 'UTC')`
  return holds === 'instants' ? `concat(${clock}, 'Z')` : clock
}
