import { Agent } from 'node:http'
import type { ReportRequest } from '@counterfoil/protocol'
import type { DemoConsumer } from '../packages/gateway/src/commands/demo-consumers.ts'
import { askOnce } from './ask-once.ts'

/** What the process that asks is told to do. */
export interface LoadOrder {
  readonly endpoint: string
  readonly consumer: DemoConsumer
  readonly request: ReportRequest
  readonly atOnce: number
  readonly ms: number
}

/** What it did. */
export interface LoadResult {
  readonly reports: number
  readonly ms: number
  /** An answer that was no whole report, where there was one. */
  readonly failure?: string
}

// A process of its own, so that asking does not take the gateway's thread.
process.on('message', async (order: LoadOrder) => process.send?.(await load(order)))

const agent = new Agent({ keepAlive: true })

async function load({ endpoint, consumer, request, atOnce, ms }: LoadOrder): Promise<LoadResult> {
  const startedAt = performance.now()
  let reports = 0
  let failure: string | undefined
  const ask = async (): Promise<void> => {
    while (failure === undefined && performance.now() - startedAt < ms) {
      failure = await askOnce(endpoint, consumer, request, agent)
      reports += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  const result = { reports, ms: performance.now() - startedAt }
  return failure === undefined ? result : { ...result, failure }
}
