import { Agent } from 'node:http'
import type { ReportRequest } from '@counterfoil/protocol'
import type { DemoLogin } from '../packages/gateway/src/demo/demo-logins.ts'
import { askOnce } from './ask-once.ts'

/** The order to the process that requests reports. */
export interface LoadOrder {
  readonly reportUrl: string
  /** Each login requests one report after the other. */
  readonly logins: readonly DemoLogin[]
  readonly request: ReportRequest
  readonly ms: number
}

/** The result of an order. */
export interface LoadResult {
  /** The time of each report, in milliseconds. */
  readonly times: readonly number[]
  readonly ms: number
  /** The first answer that was not a complete report, if there was one. */
  readonly failure?: string
}

// A separate process, so that the requests do not take time of the gateway's thread.
process.on('message', async (order: LoadOrder) => process.send?.(await load(order)))

const agent = new Agent({ keepAlive: true })

async function load({ reportUrl, logins, request, ms }: LoadOrder): Promise<LoadResult> {
  const startedAt = performance.now()
  const times: number[] = []
  let failure: string | undefined
  const ask = async (login: DemoLogin): Promise<void> => {
    while (failure === undefined && performance.now() - startedAt < ms) {
      const askedAt = performance.now()
      failure = await askOnce(reportUrl, login, request, agent)
      times.push(performance.now() - askedAt)
    }
  }
  await Promise.all(logins.map(ask))
  const result = { times, ms: performance.now() - startedAt }
  return failure === undefined ? result : { ...result, failure }
}
