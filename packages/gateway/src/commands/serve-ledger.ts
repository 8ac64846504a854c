import { once } from 'node:events'
import type { CommandRun } from '../control/open-control-socket.ts'
import type { Queries, ServerAddress } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import type { ImportRecord, Imports } from '@counterfoil/ledger'
import { type LedgerAnswer, type LedgerCall, ledgerCallSchema } from './ledger-messages.ts'
import type { Snapshots } from './snapshots.ts'
import type { CommandLedger } from './command-ledger.ts'

/** The ledger of this gateway, and its own ClickHouse server if it has one. */
export interface ServedLedger extends CommandLedger {
  readonly ownServer: (() => Promise<ServerAddress>) | undefined
}

/**
 * Lets a command of another process work on the ledger of this gateway. The command reads and stages rows on the
 * server itself, and the gateway makes the changes that its reports see. If that process ends, its statements end, and
 * its import is completed or removed.
 */
export async function serveLedger(
  ledger: ServedLedger,
  { messages, send, signal }: CommandRun,
  onImport: (record: ImportRecord) => void,
): Promise<void> {
  const leaving = new AbortController()
  const ending = AbortSignal.any([signal, leaving.signal])
  const held = new Held(ledger, ending, onImport)
  const served = { ...ledger, imports: held.imports, snapshots: held.snapshots }
  const running = new Set<Promise<void>>()
  const read = async (): Promise<void> => {
    for await (const message of messages) {
      const call = ledgerCallSchema.parse(message)
      const answering = answerCall(served, call, send)
      running.add(answering)
      void answering.finally(() => running.delete(answering))
    }
  }
  const reading = read()
  // The caller may leave in the middle of a line.
  reading.catch(() => {})
  try {
    await Promise.race([reading, abortOf(signal)])
  } finally {
    leaving.abort()
    await Promise.all(running)
    await held.end()
  }
}

// The statements of a process that has ended still run on the server.
const KILL_IMPORT = `KILL QUERY WHERE user = currentUser() AND query_id != queryID()
AND query_kind != 'Select' AND query LIKE '%import\\\\_%' SYNC FORMAT Null`

/** Ends the statements of an import. */
export async function endStatements(engine: Queries): Promise<void> {
  await engine.execute(KILL_IMPORT)
}

/** Knows whether a command has an import or a snapshot, or waits for one, so that both end with the command. */
class Held {
  readonly imports: Imports
  readonly snapshots: Snapshots
  readonly #ledger: CommandLedger
  #isImporting = false
  #hasSnapshot = false

  constructor(
    ledger: CommandLedger,
    ending: AbortSignal,
    onImport: (record: ImportRecord) => void,
  ) {
    const { imports, snapshots } = ledger
    this.#ledger = ledger
    this.imports = {
      begin: async () => {
        await imports.begin(ending)
        this.#isImporting = true
      },
      commit: async (record, statements) => {
        await imports.commit(record, statements)
        onImport(record)
      },
      change: async (statements) => await imports.change(statements),
      end: async () => {
        this.#isImporting = false
        await imports.end()
      },
    }
    this.snapshots = {
      take: async () => {
        const folder = await snapshots.take(ending)
        this.#hasSnapshot = true
        return folder
      },
      drop: async () => {
        this.#hasSnapshot = false
        await snapshots.drop()
      },
    }
  }

  async end(): Promise<void> {
    if (this.#isImporting) {
      try {
        await endStatements(this.#ledger.engine)
      } finally {
        await this.imports.end()
      }
    }
    if (this.#hasSnapshot) await this.snapshots.drop()
  }
}

/** Resolves when a signal aborts. */
async function abortOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Runs a call and sends its answer. Never rejects. */
async function answerCall(
  ledger: ServedLedger,
  call: LedgerCall,
  send: (answer: LedgerAnswer) => void,
): Promise<void> {
  const { id } = call
  try {
    const value = await run(ledger, call)
    send({ id, kind: 'done', value })
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : 'engine-failed'
    send({ id, kind: 'failed', code, message: textOf(error), cause: textOf(causeOf(error)) })
  }
}

async function run(
  { imports, snapshots, ownServer }: ServedLedger,
  call: LedgerCall,
): Promise<string | undefined> {
  if (call.call === 'findServer') return ownServer && JSON.stringify(await ownServer())
  if (call.call === 'takeSnapshot') return await snapshots.take()
  if (call.call === 'beginImport') await imports.begin()
  else if (call.call === 'commitImport') await imports.commit(call.record, call.statements)
  else if (call.call === 'changeLedger') await imports.change(call.statements)
  else if (call.call === 'endImport') await imports.end()
  else await snapshots.drop()
  return undefined
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
