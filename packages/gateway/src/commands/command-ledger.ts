import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { diskFault, type Engine } from '@counterfoil/engine'
import {
  createImports,
  type LedgerAccess,
  type LedgerChanges,
  snapshotLedger,
} from '@counterfoil/ledger'
import { hasStore, holdSqlite, type SqliteMoment, storeFile } from '@counterfoil/store'
import { type Config, ledgerFolder } from '../config/config.ts'
import { importedLedger } from '../serve/open-engine.ts'

/** What needs space on the disk of `dataDir` and of the backup. */
export const BACKUP_WORK = { work: 'this backup', retry: 'back up again' }

/** The ledger as commands see it: in this process, or in a running gateway. */
export interface CommandLedger extends LedgerAccess {
  /** Snapshots of a gateway's data, for backups. There is one at a time. */
  readonly snapshots: {
    /**
     * Makes a snapshot of the ledger and the store, of the same moment. Waits until no import runs and no other
     * snapshot is there. An import then waits until the snapshot is dropped. An abort of `signal` ends the waiting.
     *
     * @returns its folder, which has the structure of `dataDir`
     */
    readonly take: (signal?: AbortSignal) => Promise<string>
    readonly drop: () => Promise<void>
  }
}

export function commandLedger(
  config: Config,
  engine: Engine,
  changes: LedgerChanges,
): CommandLedger {
  const imports = createImports(importedLedger(config, engine, changes))
  const folder = join(config.dataDir, 'snapshot')
  const drop = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true }).finally(() => imports.end())
  }
  const take = async (signal?: AbortSignal): Promise<string> => {
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
      throw diskFault(config.dataDir, error, BACKUP_WORK) ?? error
    } finally {
      store?.close()
    }
  }
  return { engine, imports, snapshots: { take, drop } }
}
