import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serveMetrics } from '../../src/http/metrics-server.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { ask, LIST, parameters } from '../kit/ask.ts'
import { changeLimits } from '../kit/change-limits.ts'
import { freePort } from '../kit/free-port.ts'
import { connectRaw } from '../kit/raw-connection.ts'
import { readMetrics, type Samples } from '../kit/read-metrics.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

changeLimits({ readyCacheMs: 200 })

const port = await freePort()
const { sandbox, gateway } = await serveSandbox([1000], { metrics: { port } })
const { merchant, operator } = sandbox.logins
const ROOT = join(import.meta.dirname, '../../../..')
const ORIGIN = `http://127.0.0.1:${gateway.port}`
const REPORT = '{report="transactions-list",format="CSV",outcome="complete"}'

/** Reads the metrics after the cached ones have expired. */
async function readFresh(): Promise<Samples> {
  await sleep(LIMITS.readyCacheMs + 100)
  return await readMetrics(port)
}

/** Returns the samples that a step changes, with their growth. */
async function growth(step: () => Promise<void>): Promise<Samples> {
  const before = await readFresh()
  await step()
  const after = await readFresh()
  const grown = Object.entries(after).map(([name, value]) => {
    return [name, value - (before[name] ?? 0)] as const
  })
  return Object.fromEntries(grown.filter(([, value]) => value !== 0))
}

test('counts a report, its rows, its bytes and the time of its first byte', async () => {
  let answer: Awaited<ReturnType<typeof ask>> | undefined
  const grown = await growth(async () => {
    answer = await ask(gateway, merchant)
  })
  expect(grown).toMatchObject({
    [`counterfoil_reports_total${REPORT}`]: 1,
    'counterfoil_report_rows_total{format="CSV"}': Number(answer?.trailers['counterfoil-rows']),
    'counterfoil_report_bytes_total{format="CSV"}': answer?.bytes.length,
    'counterfoil_report_first_byte_seconds_count{format="CSV"}': 1,
  })
  const { pathname } = new URL(gateway.reportUrl)
  const labels = `http_request_method="POST",http_route="${pathname}",http_response_status_code="200"`
  expect(grown[`http_server_request_duration_seconds_count{${labels}}`]).toBe(1)
})

test('counts refusals by step and code, and problems by code', async () => {
  const grown = await growth(async () => {
    await ask(gateway, merchant, LIST, { login: 'nobody' })
    await ask(gateway, merchant, { reportIdentifier: 'none' })
    await ask(gateway, merchant, { ...LIST, ...parameters({ dateFrom: 'x' }) })
  })
  expect(grown).toMatchObject({
    'counterfoil_refusals_total{step="consumer",code="consumer-unknown"}': 1,
    'counterfoil_problems_total{code="unknown-report"}': 1,
    'counterfoil_problems_total{code="invalid-parameter"}': 1,
    'counterfoil_reports_total{report="transactions-list",format="CSV",outcome="problem"}': 1,
  })
})

test('has no label that a stranger chooses', { tags: ['long'] }, async () => {
  const grown = await growth(async () => {
    await fetch(`${ORIGIN}/stranger-path`)
    await fetch(`${ORIGIN}/gate/stranger/4111`, { method: 'DELETE' })
    const connection = await connectRaw(gateway.port)
    connection.write('PROPFIND /stranger HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await connection.received
  })
  expect(Object.keys(grown).filter((name) => /stranger|PROPFIND|DELETE/.test(name))).toEqual([])
  expect(Object.keys(grown).join()).toContain('http_request_method="_OTHER",http_route=""')
})

test('tells the load, the memory of the engine, the lag of the outbox, and how far the ledger goes', async () => {
  const { headers } = await ask(gateway, operator)
  const samples = await readFresh()
  const newest = Date.parse(String(headers['counterfoil-newest-row'])) / 1000
  expect(samples).toMatchObject({
    counterfoil_reports_running: 0,
    counterfoil_reports_waiting: 0,
    counterfoil_outbox_lag_seconds: 0,
    counterfoil_import_refused_rows: 0,
    counterfoil_newest_transaction_timestamp_seconds: newest,
  })
  expect(samples['counterfoil_engine_memory_bytes']).toBeGreaterThan(1024)
  expect(samples['process_resident_memory_bytes']).toBeGreaterThan(1024)
})

test('has every metric of the dashboard, the alerts and docs/monitoring.md', async () => {
  await ask(gateway, merchant)
  await ask(gateway, merchant, LIST, { login: 'nobody' })
  await ask(gateway, merchant, { reportIdentifier: 'none' })
  await readFresh()
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  // A metric of syncs has no sample here.
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const page = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8')
  const section = page.slice(page.indexOf('### Metrics'), page.indexOf('### Lines of the log'))
  const files = ['grafana-dashboard.json', 'prometheus-alerts.yaml'].map((file) => {
    return readFileSync(join(ROOT, 'deploy', file), 'utf8')
  })
  for (const described of [...files, section]) {
    const named = described.match(/\b(counterfoil|http_server|nodejs|process)_[a-z]\w*/g) ?? []
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((name) => !known.has(name.replace(/_bucket$/, '')))).toEqual([])
  }
})

test('serves metrics at one path, on their own port only', async () => {
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  expect((await fetch(`${ORIGIN}/metrics`)).status).toBe(404)
})

test('limits the connections to the metrics', async () => {
  const sockets: Socket[] = []
  for (let index = 0; index < LIMITS.metricsConnectionsMax; index += 1) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    sockets.push(socket)
  }
  const oneMore = connect(port, '127.0.0.1')
  oneMore.on('error', () => {})
  await once(oneMore, 'close')
  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => await readMetrics(port).catch(() => undefined)).toBeDefined()
})

test('answers 500 if a metric cannot be read', async () => {
  const read = async () => {
    throw new Error('no value')
  }
  const at = { host: '127.0.0.1', port: await freePort() }
  const close = await serveMetrics({ contentType: 'text/plain', read }, at)
  expect((await fetch(`http://127.0.0.1:${at.port}/metrics`)).status).toBe(500)
  await close()
})
