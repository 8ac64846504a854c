import { join } from 'node:path'
import { type Engine, openOwnEngine } from '@counterfoil/engine'
import { REPORT_COLUMNS } from '../model/report-columns.ts'

const MEBIBYTE = 1024 ** 2

/**
 * Opens an engine in this process that reads Parquet files, for a ledger on a server: the server cannot read the files
 * of this machine.
 *
 * @param folder the folder of temporary files
 */
export async function openFileReader(folder: string): Promise<Engine> {
  return await openOwnEngine({
    directory: join(folder, 'reader'),
    querySeconds: 0,
    queryBytesMax: 1024 * MEBIBYTE,
    engineBytesMax: 1536 * MEBIBYTE,
    reportColumns: REPORT_COLUMNS,
  })
}
