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
  // Each call waits for the answer to the call before, so an answer needs no id.
  let last: Promise<unknown> = Promise.resolve()
  const ask = async (call: LedgerCall): Promise<string | undefined> => {
    const answer = last.then(() => exchange(command, call))
    last = answer.catch(() => {})
    return await answer
  }
  return {
    findServer: async () => {
      const address = await ask({ call: 'findServer' })
      return address === undefined ? undefined : ownAddressSchema.parse(JSON.parse(address))
    },
    imports: {
      begin: async () => void (await ask({ call: 'beginImport' })),
      commit: async (record, statements = []) => {
        await ask({ call: 'commitImport', record, statements })
      },
      change: async (statements) => void (await ask({ call: 'changeLedger', statements })),
      end: async () => void (await ask({ call: 'endImport' })),
    },
    snapshots: {
      take: async () => (await ask({ call: 'takeSnapshot' })) ?? '',
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
async function exchange(command: GatewayCommand, call: LedgerCall): Promise<string | undefined> {
  command.send(call)
  const { done, value } = await command.messages.next()
  if (done) throw new GatewayError('control', 'The gateway ended the command')
  const answer = ledgerAnswerSchema.parse(value)
  if (answer.kind === 'done') return answer.value
  throw new GatewayError(answer.code, answer.message, { cause: new Error(answer.cause) })
}
