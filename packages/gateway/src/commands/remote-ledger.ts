import * as z from 'zod'
import type { Queries, ServerAddress } from '@counterfoil/engine'
import { type ImportRecord, importRecordSchema, type Imports } from '@counterfoil/ledger'
import type { GatewayConnection } from '../control/control-client.ts'
import type { ControlSession } from '../control/control-server.ts'
import type { CommandLedger } from './command-ledger.ts'

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
