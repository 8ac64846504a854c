import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Delay, Peak, Serving } from './gateway-process.ts'

/** Works with a gateway on a ledger of so many rows, in a process of its own, which ends with the work. */
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

/** The most resident memory of the gateway's process since this was last asked, in bytes. */
export async function peakOf(process: ChildProcess): Promise<number> {
  process.send('peak')
  const [peak]: Peak[] = await once(process, 'message')
  return peak?.bytes ?? Number.NaN
}

/** How long the gateway's thread of requests was busy at a stretch since this was last asked. */
export async function delayOf(process: ChildProcess): Promise<Delay> {
  process.send('delay')
  const [delay]: Delay[] = await once(process, 'message')
  if (!delay) throw new Error('expected a delay')
  return delay
}
