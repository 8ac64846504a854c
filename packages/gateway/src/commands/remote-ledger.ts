import type { GatewayCommand } from '../control/ask-gateway.ts'
import type { ServerAddress } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import { ledgerAnswerSchema, type LedgerCall, ownAddressSchema } from './ledger-messages.ts'
import type { CommandLedger } from './command-ledger.ts'

/** The changes of the ledger that a running gateway makes for a command. */
export interface RemoteLedger extends Omit<CommandLedger, 'engine'> {
  /** Finds the gateway's own ClickHouse server. Undefined if the ledger is on a server of the operator. */
  readonly findServer: () => Promise<ServerAddress | undefined>
  /** Tells the gateway that this process has done its work. */
  close(): Promise<void>
}

/** Opens the ledger of a running gateway by its command `ledger`. */
export function openRemoteLedger(command: GatewayCommand): RemoteLedger {
  const calls = new Calls(command)
  return {
    findServer: async () => {
      const address = await calls.ask({ call: 'findServer' })
      return address === undefined ? undefined : ownAddressSchema.parse(JSON.parse(address))
    },
    imports: {
      begin: async () => void (await calls.ask({ call: 'beginImport' })),
      commit: async (record, statements = []) => {
        await calls.ask({ call: 'commitImport', record, statements })
      },
      change: async (statements) => void (await calls.ask({ call: 'changeLedger', statements })),
      end: async () => void (await calls.ask({ call: 'endImport' })),
    },
    snapshots: {
      take: async () => (await calls.ask({ call: 'takeSnapshot' })) ?? '',
      drop: async () => void (await calls.ask({ call: 'dropSnapshot' })),
    },
    close: async () => {
      command.end()
      await calls.ended
    },
  }
}

type WithoutId<Call> = Call extends LedgerCall ? Omit<Call, 'id'> : never

interface Waiting {
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

  async ask(call: WithoutId<LedgerCall>): Promise<string | undefined> {
    if (this.#failure !== undefined) throw this.#failure
    const id = (this.#lastId += 1)
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
    this.#waiting.set(id, { resolve, reject })
    this.#command.send({ id, ...call })
    return await promise
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
    this.#waiting.delete(answer.id)
    if (answer.kind === 'done') waiting?.resolve(answer.value)
    else {
      const cause = new Error(answer.cause)
      waiting?.reject(new GatewayError(answer.code, answer.message, { cause }))
    }
  }
}
