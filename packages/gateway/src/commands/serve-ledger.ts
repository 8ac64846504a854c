import { once } from 'node:events'
import type { CommandRun } from '../control/open-control-socket.ts'
import { endedBy, type Queries } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import type { ImportRecord } from '../import/import-records.ts'
import type { Imports } from '../import/imports.ts'
import { type LedgerAnswer, type LedgerCall, ledgerCallSchema } from './ledger-messages.ts'
import type { Snapshots } from './snapshots.ts'
import type { CommandLedger } from './command-ledger.ts'

/**
 * Lets a command of another process work on the ledger of this gateway. If that process ends, its statements end, and
 * its import is completed or removed.
 */
export async function serveLedger(
  ledger: CommandLedger,
  { messages, send, signal }: CommandRun,
  onImport: (record: ImportRecord) => void,
): Promise<void> {
  const leaving = new AbortController()
  const ending = AbortSignal.any([signal, leaving.signal])
  const held = new Held(ledger, ending, onImport)
  const { imports, snapshots } = held
  const engine = endedBy(ledger.engine, ending)
  const running = new Set<Promise<void>>()
  const read = async (): Promise<void> => {
    for await (const message of messages) {
      const call = ledgerCallSchema.parse(message)
      const answering = answerCall({ engine, imports, snapshots }, call, send)
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

/** Knows whether a command has an import or a snapshot, or waits for one, so that both end with the command. */
class Held {
  readonly imports: Imports
  readonly snapshots: Snapshots
  #isImporting = false
  #hasSnapshot = false

  constructor(
    { imports, snapshots }: CommandLedger,
    ending: AbortSignal,
    onImport: (record: ImportRecord) => void,
  ) {
    this.imports = {
      begin: async () => {
        await imports.begin(ending)
        this.#isImporting = true
      },
      commit: async (record) => {
        await imports.commit(record)
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
    if (this.#isImporting) await this.imports.end()
    if (this.#hasSnapshot) await this.snapshots.drop()
  }
}

/** Resolves when a signal aborts. */
async function abortOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Runs a call and sends its answer. Never rejects. */
async function answerCall(
  ledger: CommandLedger,
  call: LedgerCall,
  send: (answer: LedgerAnswer) => void,
): Promise<void> {
  const { id } = call
  try {
    const value = await run(ledger, call, send)
    send({ id, kind: 'done', value })
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : 'engine-failed'
    send({ id, kind: 'failed', code, message: textOf(error), cause: textOf(causeOf(error)) })
  }
}

async function run(
  { engine, imports, snapshots }: CommandLedger,
  call: LedgerCall,
  send: (answer: LedgerAnswer) => void,
): Promise<string | undefined> {
  if (call.call === 'loadTimeZone') return await engine.loadTimeZone(call.timezone)
  if (call.call === 'takeSnapshot') return await snapshots.take()
  if (call.call === 'stream') await sendResult(engine, call, send)
  else if (call.call === 'execute') await engine.execute(call.sql, call.parameters)
  else if (call.call === 'insertCsv') await engine.insertCsv(call.insert)
  else if (call.call === 'beginImport') await imports.begin()
  else if (call.call === 'commitImport') await imports.commit(call.record)
  else if (call.call === 'changeLedger') await imports.change(call.statements)
  else if (call.call === 'endImport') await imports.end()
  else await snapshots.drop()
  return undefined
}

async function sendResult(
  engine: Queries,
  { id, query }: LedgerCall & { call: 'stream' },
  send: (answer: LedgerAnswer) => void,
): Promise<void> {
  const { signal } = new AbortController()
  for await (const { bytes, rows } of await engine.stream(query, signal)) {
    send({ id, kind: 'chunk', base64: Buffer.from(bytes).toString('base64'), rows })
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
