import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { CounterfoilClient } from '@counterfoil/client'
import type { ReportRequest } from '@counterfoil/protocol'
import { importControlKey, sign } from '@counterfoil/signing'
import { readYaml } from '../packages/common/src/read-yaml.ts'
import {
  SERVER_SETTINGS,
  type Settings,
  settingsClause,
} from '../packages/engine/src/dialect/settings.ts'
import type { EngineQuery } from '../packages/engine/src/engine/engine.ts'
import type { ServerAddress } from '../packages/engine/src/engine/engine.ts'
import { writeForm } from '../packages/engine/src/http/write-form.ts'
import type { DemoLogin } from '../packages/gateway/src/demo/demo-data.ts'
import { parseEnvelope } from '../packages/gateway/src/report/envelope.ts'
import { planReport } from '../packages/gateway/src/report/plan.ts'
import { prepareReport } from '../packages/gateway/src/report/prepare-report.ts'
import { PLAIN_SELECT } from '../packages/templates/src/template/compile-template.ts'
import { templateSchema } from '../packages/templates/src/template/template.ts'
import type { Serving } from './gateway.ts'

/** A request of the complete ledger. */
export const COMPLETE_LEDGER: ReportRequest = { reportIdentifier: 'transactions-list' }

/** A request of a merchant's day. */
export const ONE_DAY: ReportRequest = {
  reportIdentifier: 'transactions-list',
  inputReportParameters: [
    { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-03-10' },
    { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-03-11' },
  ],
}

/** The part of curl's report of a transfer that the bench reads. Times are in seconds. */
interface Transfer {
  readonly http_code: number
  readonly content_type: string
  readonly time_starttransfer: number
  readonly time_total: number
}

/** Requests a report, and reads it with curl, which is a separate process like a merchant's client. */
export async function readWithCurl(
  { reportUrl }: Pick<Serving, 'reportUrl'>,
  login: DemoLogin | undefined,
  request: ReportRequest,
): Promise<{ readonly firstByteMs: number; readonly totalMs: number }> {
  const headers = await signedHeaders(reportUrl, login)
  const transfer = await curl(reportUrl, { headers, body: JSON.stringify(request) })
  // A refusal has the status 200 too.
  if (transfer.http_code !== 200 || transfer.content_type.startsWith('text/plain')) {
    throw new Error(`expected a report, got ${JSON.stringify(transfer)}`)
  }
  return { firstByteMs: transfer.time_starttransfer * 1000, totalMs: transfer.time_total * 1000 }
}

/** Has curl read the result of a query from a ClickHouse server itself, and returns the time in milliseconds. */
export async function readFromEngine(
  server: ServerAddress | undefined,
  query: EngineQuery,
  engineSettings: Settings = {},
): Promise<number> {
  const { url, ...request } = engineRequest(server, query, engineSettings)
  const { http_code: status, time_total: seconds } = await curl(url, request)
  if (status !== 200) throw new Error(`expected a result, got ${status}`)
  return seconds * 1000
}

/** Returns the HTTP request of a query to a ClickHouse server itself. */
export function engineRequest(
  server: ServerAddress | undefined,
  { sql, parameters, settings, format }: EngineQuery,
  engineSettings: Settings = {},
) {
  const clause = settingsClause({ ...SERVER_SETTINGS, ...engineSettings, ...settings })
  const { contentType, body } = writeForm({ sql: `${sql} FORMAT ${format} ${clause}`, parameters })
  return { url: engineUrl(server), headers: { 'Content-Type': contentType }, body }
}

/** Returns the URL of a ClickHouse server with its user. */
export function engineUrl(server: ServerAddress | undefined): string {
  if (!server) throw new Error("expected the gateway's own ClickHouse")
  const { user, password } = server.login
  return `${server.url}/?${String(new URLSearchParams({ user, password }))}`
}

/** Returns a query with the columns of a report, which the engine writes as CSV itself. `scope` is SQL over the ledger. */
export function engineQuery(request: ReportRequest, scope = ''): EngineQuery {
  const { reportIdentifier } = request
  const file = resolve('reports', `${reportIdentifier}.yaml`)
  const template = readYaml(file, templateSchema, 'template').value
  const reports = new Map([[reportIdentifier, { template, tables: new Set<never>() }]])
  const viewer = { login: 'bench', role: 'operator', sees: [] } as const
  const envelope = parseEnvelope(Buffer.from(JSON.stringify(request)))
  const prepared = prepareReport({ reports, timezones: new Set(['UTC']) }, viewer, envelope)
  const conditions = new Map(scope === '' ? [] : [['transactions', scope]])
  const { input, content } = prepared
  const runtime = { input, scope: conditions, now: Date.now(), runId: 'bench' }
  const hasValue = (name: string): boolean => Object.hasOwn(input, name)
  const sql = content.compile({ hasValue, select: PLAIN_SELECT })
  return { ...planReport(prepared, runtime).query, sql, format: 'CSV' }
}

/**
 * Returns a function that requests a merchant's day, and reads the report.
 *
 * @throws if the report is not complete
 */
export function oneDayReader(
  { reportUrl }: Pick<Serving, 'reportUrl'>,
  { login, controlKey = '' }: DemoLogin,
): () => Promise<void> {
  const client = new CounterfoilClient({ endpoint: reportUrl, login, controlKey, retries: 0 })
  return async () => {
    const { body, completed } = await client.report(ONE_DAY)
    for await (const _ of body);
    await completed
  }
}

/** Returns the headers of a report request. */
export async function signedHeaders(url: string, login: DemoLogin | undefined) {
  const contentType = 'application/json'
  const key = await importControlKey(login?.controlKey ?? '')
  const credentials = { consumerKey: login?.login ?? '', key }
  const { authorization } = await sign({ method: 'POST', url, contentType }, credentials)
  return { Authorization: authorization, 'Content-Type': contentType }
}

async function curl(
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): Promise<Transfer> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const options = ['-sS', '-o', '/dev/null', '-w', '%{json}', '--data-binary', '@-', ...lines, url]
  const child = spawn('curl', options, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(body)
  const [[code], output] = await Promise.all([once(child, 'close'), text(child.stdout)])
  if (code !== 0) throw new Error(`curl ended with ${code}`)
  return JSON.parse(output)
}
