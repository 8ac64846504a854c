import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { DemoLogin } from '../packages/gateway/src/demo/demo-logins.ts'
import { openBenchGateway } from './bench-gateway.ts'

/** The message of the process when it serves. */
export interface Serving {
  readonly reportUrl: string
  readonly operators: readonly [DemoLogin, ...DemoLogin[]]
  readonly merchants: readonly [DemoLogin, ...DemoLogin[]]
  readonly idleBytes: number
}

/** The answer to `peak`: the most resident memory since the last `peak`. */
export interface Peak {
  readonly bytes: number
}

/** The answer to `delay`: the longest delays of the event loop since the last `delay`. */
export interface Delay {
  readonly longestMs: number
  /** 999 of 1,000 times were shorter. */
  readonly p999Ms: number
}

const SAMPLE_MS = 5

// A gateway in its own process, so that its memory can be measured.
const { gateway, operators, merchants, ledger } = await openBenchGateway(Number(process.argv[2]))
const ownServer = Number(/^PID: (\d+)$/m.exec(readFileSync(join(ledger, 'status'), 'utf8'))?.[1])
let peak = 0
const sampling = setInterval(() => {
  peak = Math.max(peak, residentBytes())
}, SAMPLE_MS)

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

process.on('message', async (order) => {
  if (order === 'delay') {
    const ms = (nanoseconds: number): number => nanoseconds / 1e6
    const answer = { longestMs: ms(delay.max), p999Ms: ms(delay.percentile(99.9)) }
    process.send?.(answer satisfies Delay)
    delay.reset()
    return
  }
  if (order === 'peak') {
    process.send?.({ bytes: peak } satisfies Peak)
    peak = residentBytes()
    return
  }
  clearInterval(sampling)
  await gateway.close()
  process.disconnect?.()
})
const { reportUrl } = gateway
const idleBytes = residentBytes()
process.send?.({ reportUrl, operators, merchants, idleBytes } satisfies Serving)

/** The resident memory of the gateway and of its ClickHouse. */
function residentBytes(): number {
  const status = readFileSync(`/proc/${ownServer}/status`, 'utf8')
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
  return process.memoryUsage.rss() + kibibytes * 1024
}
