import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import { CounterfoilClient } from '../packages/client/src/index.ts'
import type { DemoLogin } from '../packages/sample-data/src/demo/demo-logins.ts'

/** The order to the process that downloads a report. */
export interface DownloadOrder {
  readonly reportUrl: string
  readonly operator: DemoLogin
  readonly request: ReportRequest
}

/** The time of a download in milliseconds. */
export interface DownloadResult {
  readonly ms: number
}

// A separate process, so that the client does not take time of the gateway's thread.
process.on('message', async (order: DownloadOrder) => process.send?.(await download(order)))

async function download({ reportUrl, operator, request }: DownloadOrder): Promise<DownloadResult> {
  const { login, controlKey = '' } = operator
  const connection = { endpoint: reportUrl, login, controlKey, allowPlainHttp: true }
  const client = new CounterfoilClient(connection)
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const startedAt = performance.now()
  const { proof } = await client.download(request, {}, join(folder, 'report.csv'))
  const ms = performance.now() - startedAt
  rmSync(folder, { recursive: true })
  if (proof !== 'trailers') throw new Error(`expected a proof by trailers, got ${proof}`)
  return { ms }
}
