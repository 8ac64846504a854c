import '../packages/gateway/src/threads.ts'
import type { DemoConsumer } from '../packages/gateway/src/commands/demo-consumers.ts'
import { openBenchGateway } from './bench-gateway.ts'

/** What the process says when it serves. */
export interface Serving {
  readonly endpoint: string
  readonly operator: DemoConsumer
  readonly merchant: DemoConsumer
  readonly idleBytes: number
}

/** What it answers to `peak`: the most resident memory since it was last asked. */
export interface Peak {
  readonly bytes: number
}

const SAMPLE_MS = 5

// A gateway in a process of its own, whose memory nothing else takes.
const { gateway, operator, merchant } = await openBenchGateway(Number(process.argv[2]))
let peak = 0
const sampling = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, SAMPLE_MS)

process.on('message', async (order) => {
  if (order === 'peak') {
    process.send?.({ bytes: peak } satisfies Peak)
    peak = process.memoryUsage.rss()
    return
  }
  clearInterval(sampling)
  await gateway.close()
  process.disconnect?.()
})
const idleBytes = process.memoryUsage.rss()
process.send?.({ endpoint: gateway.endpoint, operator, merchant, idleBytes } satisfies Serving)
