import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { diskFault, type Engine, type Queries, type ServerAddress } from '@counterfoil/engine'
import {
  createImports,
  type ImportRecord,
  importRecordSchema,
  type Imports,
  type LedgerAccess,
  type LedgerChanges,
  snapshotLedger,
} from '@counterfoil/ledger'
import { hasStore, holdSqlite, type SqliteMoment, storeFile } from '@counterfoil/store'
import { type Config, ledgerFolder } from '../config/config.ts'
import type { GatewayConnection } from '../control/control-client.ts'
import type { ControlSession } from '../control/control-server.ts'

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

/** Opens the ledger of this process to commands. */
export function commandLedger(
  config: Config,
  engine: Engine,
  changes: LedgerChanges,
): CommandLedger {
  const imports = createImports({ engine, changes, isShared: config.engine.cluster !== undefined })
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

const statementsSchema = z.array(z.string()).readonly()
const commitSchema = z.object({ record: importRecordSchema, statements: statementsSchema })
const addressSchema = z.object({
  url: z.string(),
  login: z.object({ user: z.string(), password: z.string() }),
})

/** Opens the ledger of a running gateway. Each function is the command of {@link ledgerSession} of its name. */
export function openRemoteLedger({ ask }: GatewayConnection) {
  const tell = async (command: string, input?: unknown): Promise<void> => {
    await ask(command, input)
  }
  const imports: Imports = {
    begin: () => tell('beginImport'),
    commit: (record, statements = []) => tell('commitImport', { record, statements }),
    change: (statements) => tell('changeLedger', statements),
    end: () => tell('endImport'),
  }
  const snapshots: CommandLedger['snapshots'] = {
    take: async () => z.string().parse(await ask('takeSnapshot')),
    drop: () => tell('dropSnapshot'),
  }
  const findServer = async () =>
    addressSchema.nullable().parse(await ask('findServer')) ?? undefined
  return { imports, snapshots, findServer }
}

/** The ledger of this gateway, and its own ClickHouse server if it has one. */
interface ServedLedger extends CommandLedger {
  readonly ownServer: (() => Promise<ServerAddress>) | undefined
}

/**
 * Lets a command of another process work on the ledger of this gateway. The command reads and stages rows on the server
 * itself, and the gateway makes the changes that its reports see. If that process ends, its statements end, and its
 * import is completed or removed.
 */
export function ledgerSession(
  ledger: Promise<ServedLedger>,
  leaving: AbortSignal,
  onImport: (record: ImportRecord) => void,
): ControlSession {
  /** Ends the import or the snapshot of the command. It has one at a time. */
  let undo: (() => Promise<void>) | undefined
  return {
    commands: {
      findServer: async () => await (await ledger).ownServer?.(),
      beginImport: async () => {
        const { engine, imports } = await ledger
        await imports.begin(leaving)
        undo = async () => await endStatements(engine).finally(() => imports.end())
      },
      commitImport: async (input) => {
        const { record, statements } = commitSchema.parse(input)
        await (await ledger).imports.commit(record, statements)
        onImport(record)
      },
      changeLedger: async (input) => {
        await (await ledger).imports.change(statementsSchema.parse(input))
      },
      endImport: async () => {
        undo = undefined
        await (await ledger).imports.end()
      },
      takeSnapshot: async () => {
        const { snapshots } = await ledger
        const folder = await snapshots.take(leaving)
        undo = snapshots.drop
        return folder
      },
      dropSnapshot: async () => {
        undo = undefined
        await (await ledger).snapshots.drop()
      },
    },
    end: async () => await undo?.(),
  }
}

// The statements of a process that has ended still run on the server.
const KILL_IMPORT = `KILL QUERY WHERE user = currentUser() AND query_id != queryID()
AND query_kind != 'Select' AND query LIKE '%import\\\\_%' SYNC FORMAT Null`

export async function endStatements(engine: Queries): Promise<void> {
  await engine.execute(KILL_IMPORT)
}
