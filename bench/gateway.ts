import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ServerAddress } from '../packages/engine/src/engine/engine.ts'
import type { Config } from '../packages/gateway/src/config/config.ts'
import type { DemoLogin } from '../packages/gateway/src/demo/demo-data.ts'

/** The ledger of a gateway. */
export interface GatewayOptions {
  /** How many transactions the ledger has. It stays in its folder for the next run. */
  readonly rows: number
  /** Servers that get a copy of the ledger, and that the gateway then reads. */
  readonly cluster?: Config['engine']['cluster']
}

/** The first message of the gateway's process. */
export interface Serving {
  readonly reportUrl: string
  /** Logins that see everything. */
  readonly operators: readonly DemoLogin[]
  /** Logins that see the merchant `MERCHANT_ID` only. */
  readonly merchants: readonly DemoLogin[]
  /** The gateway's own ClickHouse. */
  readonly ownServer: ServerAddress | undefined
  readonly idleBytes: number
}

/** What a gateway used since the last answer. */
export interface Usage {
  /** The most resident memory of the gateway and of its own ClickHouse. */
  readonly peakBytes: number
  /** The processor time of the gateway. */
  readonly cpuMs: number
  /** The longest delay of the event loop. */
  readonly longestMs: number
  /** 999 of 1,000 delays were shorter. */
  readonly p999Ms: number
}

/** A gateway in a process of its own. */
export interface BenchGateway extends Serving {
  readonly usage: () => Promise<Usage>
}

/** A merchant with about a hundred rows a day in a ledger of 5,000,000. */
export const MERCHANT_ID = '10'

/** Starts a gateway, runs work with it, and stops it. */
export async function withGateway<T>(
  options: GatewayOptions,
  work: (gateway: BenchGateway) => Promise<T>,
): Promise<T> {
  const gateway = fork(join(import.meta.dirname, 'gateway-process.ts'), [JSON.stringify(options)])
  const answer = async <Message>(): Promise<Message> => {
    const [message]: Message[] = await once(gateway, 'message')
    if (!message) throw new Error('expected a message')
    return message
  }
  const usage = async (): Promise<Usage> => {
    gateway.send('usage')
    return await answer<Usage>()
  }
  const exited = once(gateway, 'exit')
  try {
    const serving = await Promise.race([answer<Serving>(), exited.then(() => undefined)])
    if (!serving) throw new Error('expected a gateway that serves')
    return await work({ ...serving, usage })
  } finally {
    if (gateway.connected) gateway.send('close')
    await exited
  }
}
