import type { SyncRecord } from '@counterfoil/ledger'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestSummary } from './request-summary.ts'

/** The values that the gateway reads when somebody asks for its metrics. A value that cannot be read is absent. */
export interface Readings {
  /** Reports that run, and reports that wait for a place. */
  readonly load: () => { readonly running: number; readonly waiting: number }
  readonly engineMemoryBytes: () => Promise<number | undefined>
  /** How long the oldest due entry of the outbox has waited. 0 if none waits. */
  readonly outboxLagSeconds: () => Promise<number | undefined>
  readonly syncs: () => Promise<readonly SyncRecord[] | undefined>
  /** How many rows the newest import refused. */
  readonly importRefusedRows: () => Promise<number | undefined>
  /** The time of the ledger's newest transaction, in seconds since 1970. */
  readonly newestTransactionSeconds: () => Promise<number | undefined>
}

export interface Metrics {
  readonly contentType: string
  readonly read: () => Promise<string>
  /** Counts a request whose answer has ended. */
  readonly count: (request: RequestSummary) => void
}

/** From 5 ms to ten minutes: the first ones are OpenTelemetry's advice for `http.server.request.duration`. */
const SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 180, 600,
]

/** A stranger may send any other method. */
const METHODS = new Set(['GET', 'HEAD', 'POST'])

/** Counts the requests of a gateway. docs/monitoring.md explains each metric. */
export function createMetrics(readings: Readings): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const counters = countersOf(registry)
  addGauges(registry, readings)
  return {
    contentType: registry.contentType,
    read: async () => await registry.metrics(),
    count: (request) => {
      countRequest(counters, request)
      if (request.report !== undefined) countReport(counters, request)
    },
  }
}

type Counters = ReturnType<typeof countersOf>

function countersOf(registry: Registry) {
  const registers = [registry]
  const counter = (name: string, help: string, ...labelNames: readonly string[]) => {
    return new Counter({ name: `counterfoil_${name}`, help, labelNames, registers })
  }
  const seconds = (name: string, help: string, ...labelNames: readonly string[]) => {
    return new Histogram({ name: `${name}_seconds`, help, labelNames, buckets: SECONDS, registers })
  }
  return {
    requests: seconds(
      'http_server_request_duration',
      'Duration of HTTP requests, from their headers to the end of their answer.',
      'http_request_method',
      'http_route',
      'http_response_status_code',
    ),
    refusals: counter(
      'refusals_total',
      'Refused signatures, by the step of verification and the code.',
      'step',
      'code',
    ),
    problems: counter('problems_total', 'Answers that are problems, by their code.', 'code'),
    reports: counter(
      'reports_total',
      'Requested reports: complete, aborted by the caller, cut by the gateway, or answered with a problem.',
      'report',
      'format',
      'outcome',
    ),
    // Without labels: a counter that appears with its first count has not grown, and no alert would see it.
    cut: counter('reports_cut_total', 'Reports that the gateway or the engine cut.'),
    rows: counter('report_rows_total', 'Rows of complete reports.', 'format'),
    bytes: counter('report_bytes_total', 'Bytes of reports, before TLS.', 'format'),
    firstByte: seconds(
      'counterfoil_report_first_byte',
      'Time from the headers of a request to the first byte of its report.',
      'format',
    ),
  }
}

function countRequest({ requests, refusals, problems }: Counters, summary: RequestSummary): void {
  const { method, route, status, outcome, step = '', code = '', durationMs } = summary
  const labels = {
    http_request_method: METHODS.has(method) ? method : '_OTHER',
    http_route: route ?? '',
    http_response_status_code: String(status),
  }
  requests.observe(labels, durationMs / 1000)
  if (outcome === 'refusal') refusals.inc({ step, code })
  if (outcome === 'problem') problems.inc({ code })
}

function countReport(count: Counters, summary: RequestSummary): void {
  const { report = '', format = '', rows = 0, bytes = 0, firstByteMs, wasCut } = summary
  const outcome = summary.outcome === 'report' ? 'complete' : summary.outcome
  count.reports.inc({ report, format, outcome: wasCut ? 'cut' : outcome })
  if (wasCut) count.cut.inc()
  count.rows.inc({ format }, rows)
  count.bytes.inc({ format }, bytes)
  if (firstByteMs !== undefined) count.firstByte.observe({ format }, firstByteMs / 1000)
}

function addGauges(registry: Registry, readings: Readings): void {
  const add = (
    name: string,
    help: string,
    labelNames: readonly string[],
    collect: (metric: Gauge) => Promise<void>,
  ): void => {
    const options = { name: `counterfoil_${name}`, help, labelNames, registers: [] }
    const metric: Gauge = new Gauge({ ...options, collect: async () => await collect(metric) })
    registry.registerMetric(metric)
  }
  const gauge = (name: string, help: string, read: () => Promise<number | undefined>): void => {
    add(name, help, [], async (metric) => {
      const value = await read()
      if (value === undefined) metric.remove()
      else metric.set(value)
    })
  }
  const syncGauge = (name: string, help: string, valueOf: (sync: SyncRecord) => number): void => {
    add(`sync_${name}`, help, ['source'], async (metric) => {
      metric.reset()
      for (const sync of (await readings.syncs()) ?? []) {
        metric.set({ source: sync.source }, valueOf(sync))
      }
    })
  }
  gauge('reports_running', 'Reports that run.', async () => readings.load().running)
  gauge('reports_waiting', 'Reports that wait for a place.', async () => readings.load().waiting)
  gauge('engine_memory_bytes', 'Memory of the engine.', readings.engineMemoryBytes)
  gauge(
    'outbox_lag_seconds',
    'How long the oldest accepted operation has waited for the ledger.',
    readings.outboxLagSeconds,
  )
  syncGauge(
    'timestamp_seconds',
    'When the last sync of a source that succeeded began, in seconds since 1970. 0 if none did.',
    ({ syncedAt }) => (syncedAt === undefined ? 0 : Date.parse(syncedAt) / 1000),
  )
  syncGauge('failed', 'Whether the last sync of a source failed: 1 or 0.', ({ error }) => {
    return error === '' ? 0 : 1
  })
  syncGauge('refused_rows', 'Rows of a database that are refused.', ({ refused }) => refused)
  gauge('import_refused_rows', 'Rows that the newest import refused.', readings.importRefusedRows)
  gauge(
    'newest_transaction_timestamp_seconds',
    'Time of the newest transaction in the ledger, in seconds since 1970.',
    readings.newestTransactionSeconds,
  )
}
