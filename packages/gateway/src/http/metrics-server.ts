import { createServer } from 'node:http'
import { LIMITS, shareFor } from '@counterfoil/common'
import type { Metrics } from '../observe/metrics.ts'
import { type ListenAddress, listenAt } from './listen.ts'

/**
 * Serves the metrics on an address of their own: they tell the names of reports, and how busy the gateway is.
 *
 * @returns a function that closes the server
 */
export async function serveMetrics(
  metrics: Pick<Metrics, 'contentType' | 'read'>,
  at: ListenAddress,
): Promise<() => Promise<void>> {
  const read = shareFor(LIMITS.readyCacheMs, metrics.read)
  const timeouts = { headersTimeout: LIMITS.readingMs, requestTimeout: LIMITS.readingMs }
  const server = createServer(timeouts, async ({ url, method }, response) => {
    response.setHeader('Connection', 'close')
    if (url !== '/metrics' || method !== 'GET') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('GET /metrics\n')
      return
    }
    try {
      const text = await read()
      response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text)
    } catch {
      response.writeHead(500).end()
    }
  })
  server.timeout = LIMITS.stalledReaderMs
  server.maxConnections = LIMITS.metricsConnectionsMax
  await listenAt(server, at)
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
