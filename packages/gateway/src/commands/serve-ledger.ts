import { once } from 'node:events'
import type { CommandRun } from '../control/open-control-socket.ts'
import type { Queries, ServerAddress } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import type { ImportRecord } from '@counterfoil/ledger'
import { type LedgerAnswer, type LedgerCall, ledgerCallSchema } from './ledger-messages.ts'
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
  const held = new Held(ledger, AbortSignal.any([signal, leaving.signal]), onImport)
  // One call runs after the other. All are read at once, because the caller may leave while one waits.
  let answered = Promise.resolve()
  const read = async (): Promise<void> => {
    for await (const message of messages) {
      const call = ledgerCallSchema.parse(message)
      answered = answered.then(async () => send(await answerOf(held, call)))
    }
  }
  const reading = read()
  // The caller may leave in the middle of a line.
  reading.catch(() => {})
  try {
    await Promise.race([reading, abortOf(signal)])
  } finally {
    leaving.abort()
    await answered
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
  readonly #ledger: ServedLedger
  readonly #ending: AbortSignal
  readonly #onImport: (record: ImportRecord) => void
  #isImporting = false
  #hasSnapshot = false

  constructor(ledger: ServedLedger, ending: AbortSignal, onImport: (record: ImportRecord) => void) {
    this.#ledger = ledger
    this.#ending = ending
    this.#onImport = onImport
  }

  async run(call: LedgerCall): Promise<string | undefined> {
    const { imports, snapshots, ownServer } = this.#ledger
    if (call.call === 'findServer') return ownServer && JSON.stringify(await ownServer())
    if (call.call === 'takeSnapshot') {
      const folder = await snapshots.take(this.#ending)
      this.#hasSnapshot = true
      return folder
    }
    if (call.call === 'beginImport') {
      await imports.begin(this.#ending)
      this.#isImporting = true
    } else if (call.call === 'commitImport') {
      await imports.commit(call.record, call.statements)
      this.#onImport(call.record)
    } else if (call.call === 'changeLedger') {
      await imports.change(call.statements)
    } else if (call.call === 'endImport') {
      this.#isImporting = false
      await imports.end()
    } else {
      this.#hasSnapshot = false
      await snapshots.drop()
    }
    return undefined
  }

  async end(): Promise<void> {
    const { engine, imports, snapshots } = this.#ledger
    if (this.#isImporting) await endStatements(engine).finally(() => imports.end())
    if (this.#hasSnapshot) await snapshots.drop()
  }
}

/** Resolves when a signal aborts. */
async function abortOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Runs a call, and returns its end or its error. */
async function answerOf(held: Held, call: LedgerCall): Promise<LedgerAnswer> {
  try {
    return { kind: 'done', value: await held.run(call) }
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : 'engine-failed'
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    return { kind: 'failed', code, message: textOf(error), cause: textOf(cause) }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
