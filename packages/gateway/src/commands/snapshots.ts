import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, ledgerFolder } from '../config/config.ts'
import { diskFault, type Queries } from '@counterfoil/engine'
import { type Imports, type LedgerChanges, snapshotLedger } from '@counterfoil/ledger'
import { hasStore, holdSqlite, type SqliteMoment, storeFile } from '@counterfoil/store'

/** What needs space on the disk of `dataDir` and of the backup. */
export const BACKUP = { work: 'this backup', retry: 'back up again' }

/** Snapshots of a gateway's data, for backups. There is one at a time. */
export interface Snapshots {
  /**
   * Makes a snapshot of the ledger and the store, of the same moment. Waits until no import runs and no other snapshot
   * is there. An import then waits until the snapshot is dropped. An abort of `signal` ends the waiting.
   *
   * @returns its folder, which has the structure of `dataDir`
   */
  take(signal?: AbortSignal): Promise<string>
  /** Removes the snapshot. */
  drop(): Promise<void>
}

/** Makes snapshots of the data that this process has open. */
export function createSnapshots(
  config: Config,
  engine: Queries,
  changes: LedgerChanges,
  imports: Imports,
): Snapshots {
  const folder = join(config.dataDir, 'snapshot')
  const drop = async (): Promise<void> => {
    try {
      await rm(folder, { recursive: true, force: true })
    } finally {
      await imports.end()
    }
  }
  return {
    take: async (signal) => {
      await imports.begin(signal)
      let store: SqliteMoment | undefined
      try {
        // A killed process leaves its snapshot behind.
        await rm(folder, { recursive: true, force: true })
        await mkdir(folder, { mode: 0o700 })
        // The relay writes to both, so it waits. It does not wait for the copy of the store, which may take minutes.
        await changes.write(async () => {
          if (!config.store && hasStore(config)) store = holdSqlite(storeFile(config))
          await snapshotLedger(engine, ledgerFolder(config), join(folder, 'ledger'))
        })
        await store?.copy(storeFile({ dataDir: folder }))
        return folder
      } catch (error) {
        await drop()
        throw diskFault(config.dataDir, error, BACKUP) ?? error
      } finally {
        store?.close()
      }
    },
    drop,
  }
}
