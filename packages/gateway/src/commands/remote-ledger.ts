import type { GatewayCommand } from '../control/ask-gateway.ts'
import type { EngineChunk } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import { ledgerAnswerSchema, type LedgerCall } from './ledger-messages.ts'
import type { CommandLedger } from './command-ledger.ts'

/** The ledger of a running gateway. */
export interface RemoteLedger extends CommandLedger {
  /** Tells the gateway that this process has done its work. */
  close(): Promise<void>
}

/** Opens the ledger of a running gateway by its command `ledger`. */
export function openRemoteLedger(command: GatewayCommand): RemoteLedger {
  const calls = new Calls(command)
  return {
    engine: {
      stream: async ({ sql, parameters, settings, role, format }) => {
        const query = { sql, parameters, settings, role, format }
        const { chunks } = await calls.ask({ call: 'stream', query })
        return inTurn(chunks)
      },
      execute: async (sql, parameters = {}) => {
        await calls.ask({ call: 'execute', sql, parameters })
      },
      insertCsv: async (insert) => void (await calls.ask({ call: 'insertCsv', insert })),
      loadTimeZone: async (timezone) => {
        const { value } = await calls.ask({ call: 'loadTimeZone', timezone })
        return value ?? timezone
      },
    },
    imports: {
      begin: async () => void (await calls.ask({ call: 'beginImport' })),
      commit: async (record) => void (await calls.ask({ call: 'commitImport', record })),
      change: async (statements) => void (await calls.ask({ call: 'changeLedger', statements })),
      end: async () => void (await calls.ask({ call: 'endImport' })),
    },
    snapshots: {
      take: async () => (await calls.ask({ call: 'takeSnapshot' })).value ?? '',
      drop: async () => void (await calls.ask({ call: 'dropSnapshot' })),
    },
    close: async () => {
      command.end()
      await calls.ended
    },
  }
}

type WithoutId<Call> = Call extends LedgerCall ? Omit<Call, 'id'> : never

/** The complete answer to a call. */
interface Answer {
  readonly chunks: readonly EngineChunk[]
  readonly value: string | undefined
}

interface Waiting {
  readonly chunks: EngineChunk[]
  readonly resolve: (value: string | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Sends calls to a gateway, and matches the answers by their ids. */
class Calls {
  /** Resolves when the gateway has ended the command. */
  readonly ended: Promise<void>
  readonly #command: GatewayCommand
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  /** Why the gateway does not answer any more. */
  #failure: Error | undefined

  constructor(command: GatewayCommand) {
    this.#command = command
    this.ended = this.#read()
  }

  async ask(call: WithoutId<LedgerCall>): Promise<Answer> {
    if (this.#failure !== undefined) throw this.#failure
    const id = (this.#lastId += 1)
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
    const chunks: EngineChunk[] = []
    this.#waiting.set(id, { chunks, resolve, reject })
    this.#command.send({ id, ...call })
    return { value: await promise, chunks }
  }

  async #read(): Promise<void> {
    let failure: Error = new GatewayError('control', 'The gateway ended the command')
    try {
      for await (const message of this.#command.messages) this.#take(message)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
    this.#failure = failure
    for (const { reject } of this.#waiting.values()) reject(failure)
    this.#waiting.clear()
  }

  #take(message: unknown): void {
    const answer = ledgerAnswerSchema.parse(message)
    const waiting = this.#waiting.get(answer.id)
    if (answer.kind === 'chunk') {
      const bytes = new Uint8Array(Buffer.from(answer.base64, 'base64'))
      waiting?.chunks.push({ bytes, rows: answer.rows })
      return
    }
    this.#waiting.delete(answer.id)
    if (answer.kind === 'done') waiting?.resolve(answer.value)
    else {
      const cause = new Error(answer.cause)
      waiting?.reject(new GatewayError(answer.code, answer.message, { cause }))
    }
  }
}

async function* inTurn(chunks: readonly EngineChunk[]): AsyncGenerator<EngineChunk, void> {
  yield* chunks
}
