import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Delay, Peak, Serving } from './gateway-process.ts'

/** Starts a gateway in its own process on a ledger of `rows` transactions, runs work with it, and stops it. */
export async function withGateway<T>(
  rows: number,
  work: (process: ChildProcess, serving: Serving, rows: number) => Promise<T>,
): Promise<T> {
  const process = fork(join(import.meta.dirname, 'gateway-process.ts'), [String(rows)])
  try {
    const [serving]: Serving[] = await once(process, 'message')
    if (!serving) throw new Error('expected a gateway that serves')
    return await work(process, serving, rows)
  } finally {
    const ended = once(process, 'exit')
    process.send('close')
    await ended
  }
}

/** The most resident memory of the gateway's process since the last call, in bytes. */
export async function peakOf(process: ChildProcess): Promise<number> {
  process.send('peak')
  const [peak]: Peak[] = await once(process, 'message')
  return peak?.bytes ?? Number.NaN
}

/** The longest delays of the gateway's event loop since the last call. */
export async function delayOf(process: ChildProcess): Promise<Delay> {
  process.send('delay')
  const [delay]: Delay[] = await once(process, 'message')
  if (!delay) throw new Error('expected a delay')
  return delay
}
