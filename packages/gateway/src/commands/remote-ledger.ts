import { once } from 'node:events'
import * as z from 'zod'
import type { Queries, ServerAddress } from '@counterfoil/engine'
import { GatewayError, isErrorCode } from '@counterfoil/common'
import { type ImportRecord, importRecordSchema } from '@counterfoil/ledger'
import type { GatewayCommand } from '../control/ask-gateway.ts'
import type { CommandRun } from '../control/open-control-socket.ts'
import type { CommandLedger } from './command-ledger.ts'

const statements = z.array(z.string()).readonly()

/** What a command asks of the ledger of a running gateway, one call after the other. */
const callSchema = z.discriminatedUnion('call', [
  z.strictObject({
    call: z.enum(['findServer', 'beginImport', 'endImport', 'takeSnapshot', 'dropSnapshot']),
  }),
  z.strictObject({ call: z.literal('commitImport'), record: importRecordSchema, statements }),
  z.strictObject({ call: z.literal('changeLedger'), statements }),
])

type Call = z.infer<typeof callSchema>

/** The answer to a call: its end or its error. */
const answerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), value: z.unknown().optional() }),
  z.object({
    kind: z.literal('failed'),
    code: z.string().refine(isErrorCode),
    message: z.string(),
    cause: z.string(),
  }),
])

type Answer = z.infer<typeof answerSchema>

const addressSchema = z.object({
  url: z.string(),
  login: z.object({ user: z.string(), password: z.string() }),
})

/** The changes of the ledger that a running gateway makes for a command. */
interface RemoteLedger extends Omit<CommandLedger, 'engine'> {
  /** Finds the gateway's own ClickHouse server. Undefined if the ledger is on a server of the operator. */
  readonly findServer: () => Promise<ServerAddress | undefined>
  /** Tells the gateway that this process has done its work. */
  close(): Promise<void>
}

/** Opens the ledger of a running gateway by its command `ledger`. */
export function openRemoteLedger(command: GatewayCommand): RemoteLedger {
  // Each call waits for the answer to the call before, so an answer needs no id.
  let last: Promise<unknown> = Promise.resolve()
  const ask = async (call: Call): Promise<unknown> => {
    const answer = last.then(() => exchange(command, call))
    last = answer.catch(() => {})
    return await answer
  }
  return {
    findServer: async () => addressSchema.optional().parse(await ask({ call: 'findServer' })),
    imports: {
      begin: async () => void (await ask({ call: 'beginImport' })),
      commit: async (record, changes = []) => {
        await ask({ call: 'commitImport', record, statements: changes })
      },
      change: async (changes) => void (await ask({ call: 'changeLedger', statements: changes })),
      end: async () => void (await ask({ call: 'endImport' })),
    },
    snapshots: {
      take: async () => z.string().parse(await ask({ call: 'takeSnapshot' })),
      drop: async () => void (await ask({ call: 'dropSnapshot' })),
    },
    close: async () => {
      await last
      command.end()
      // The gateway has ended the command, or has ended itself.
      await command.messages.next().catch(() => {})
    },
  }
}

/** Sends a call, and returns the value of its answer. */
async function exchange(command: GatewayCommand, call: Call): Promise<unknown> {
  command.send(call)
  const { done, value } = await command.messages.next()
  if (done) throw new GatewayError('control', 'The gateway ended the command')
  const answer = answerSchema.parse(value)
  if (answer.kind === 'done') return answer.value
  throw new GatewayError(answer.code, answer.message, { cause: new Error(answer.cause) })
}

/** The ledger of this gateway, and its own ClickHouse server if it has one. */
interface ServedLedger extends CommandLedger {
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
  const calls = answerCalls(ledger, AbortSignal.any([signal, leaving.signal]), onImport)
  // One call runs after the other. All are read at once, because the caller may leave while one waits.
  let answered = Promise.resolve()
  const read = async (): Promise<void> => {
    for await (const message of messages) {
      const call = callSchema.parse(message)
      answered = answered.then(async () => send(await calls.answer(call)))
    }
  }
  const reading = read()
  // The caller may leave in the middle of a line.
  reading.catch(() => {})
  try {
    await Promise.race([reading, signal.aborted || once(signal, 'abort')])
  } finally {
    leaving.abort()
    await answered
    await calls.end()
  }
}

/** Answers the calls of a command. Its import and its snapshot end with it. */
function answerCalls(
  { engine, imports, snapshots, ownServer }: ServedLedger,
  ending: AbortSignal,
  onImport: (record: ImportRecord) => void,
) {
  let isImporting = false
  let hasSnapshot = false
  const run = async (asked: Call): Promise<unknown> => {
    switch (asked.call) {
      case 'findServer':
        return await ownServer?.()
      case 'takeSnapshot': {
        const folder = await snapshots.take(ending)
        hasSnapshot = true
        return folder
      }
      case 'dropSnapshot':
        hasSnapshot = false
        await snapshots.drop()
        break
      case 'beginImport':
        await imports.begin(ending)
        isImporting = true
        break
      case 'commitImport':
        await imports.commit(asked.record, asked.statements)
        onImport(asked.record)
        break
      case 'changeLedger':
        await imports.change(asked.statements)
        break
      case 'endImport':
        isImporting = false
        await imports.end()
        break
    }
    return undefined
  }
  return {
    answer: async (asked: Call): Promise<Answer> => {
      return await run(asked).then((value) => ({ kind: 'done', value }), failureOf)
    },
    end: async (): Promise<void> => {
      if (isImporting) await endStatements(engine).finally(() => imports.end())
      if (hasSnapshot) await snapshots.drop()
    },
  }
}

function failureOf(error: unknown): Answer {
  const code = error instanceof GatewayError ? error.code : 'engine-failed'
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return { kind: 'failed', code, message: textOf(error), cause: textOf(cause) }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

// The statements of a process that has ended still run on the server.
const KILL_IMPORT = `KILL QUERY WHERE user = currentUser() AND query_id != queryID()
AND query_kind != 'Select' AND query LIKE '%import\\\\_%' SYNC FORMAT Null`

/** Ends the statements of an import. */
export async function endStatements(engine: Queries): Promise<void> {
  await engine.execute(KILL_IMPORT)
}
