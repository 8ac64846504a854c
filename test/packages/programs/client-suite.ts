// What the client does in every runtime, as plain functions. `run-client-suite.ts` runs them in Node, Bun and Deno; a
// page of Chromium runs them from a bundle.

import { CounterfoilClient, CounterfoilError, type ErrorCode } from '@counterfoil/client'

/** A gateway, and one of its logins. */
export interface SuiteSettings {
  readonly endpoint: string
  readonly login: string
  readonly controlKey: string
}

type Check = (client: CounterfoilClient, settings: SuiteSettings) => Promise<void>

/** What a gateway's reports, catalogue and errors must do. */
const GATEWAY_CHECKS: Readonly<Record<string, Check>> = {
  'streams a report with the columns that it asks for': async (client) => {
    const options = { columns: ['Transaction_id', { name: 'Amount', title: 'Betrag' }] }
    const { body, completed, fileName } = await client.report('transactions-list', options)
    const lines = new TextDecoder().decode(await readAll(body)).split('\r\n')
    const { rows } = await completed
    same([fileName, lines[0]], ['transactions-list.csv', '"Transaction_id","Betrag"'])
    same(rows, lines.length - 2)
    same((rows ?? 0) > 100, true)
  },
  'hashes the bytes that arrive': async (client) => {
    const options = { columns: ['Transaction_id'] }
    const { body, completed } = await client.report('transactions-list', options)
    const bytes = await readAll(body)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const outcome = await completed
    same([outcome.bytes, outcome.sha256], [bytes.byteLength, hex])
  },
  'lists the reports of the login': async (client, { login }) => {
    const catalogue = await client.catalogue()
    const names = catalogue.reports.map(({ reportIdentifier }) => reportIdentifier)
    same([catalogue.login, names.includes('transactions-list')], [login, true])
  },
  'gives the rows of a report': async (client) => {
    const columns = ['Transaction_id', 'Amount', 'Created_date']
    const rows = []
    for await (const row of client.rows('transactions-list', { columns })) rows.push(row)
    same(rows.length > 100, true)
    same(
      rows.every(({ Created_date: time }) => /^[\d-]{10}T[\d:.]{12}\+00:00$/.test(String(time))),
      true,
    )
    same(Object.keys(rows[0] ?? {}), columns)
  },
  'narrows a problem to its faults': async (client) => {
    const error = await failureOf(client.report('transactions-list', { dateFrom: 'yesterday' }))
    same(error.code, 'report-refused')
    const faults = error.code === 'report-refused' ? error.problem.errors : []
    same(faults?.[0]?.pointer, '/inputReportParameters/0/value')
  },
  'recognises a refusal': async (_, settings) => {
    const stranger = new CounterfoilClient({ ...settings, controlKey: 'wrong' })
    const error = await failureOf(stranger.report('transactions-list'))
    same(error.code, 'not-authorised')
  },
}

/** The code of the error that each faulty report must end with. */
const FAULTS: Readonly<Record<string, ErrorCode>> = {
  'is-cut': 'truncated',
  'lacks-a-row': 'digest-mismatch',
  'has-another-byte': 'digest-mismatch',
}

/** Runs the checks against a gateway. Returns each name with `ok` or what went wrong. */
export async function checkGateway(settings: SuiteSettings): Promise<Record<string, string>> {
  const client = new CounterfoilClient(settings)
  const results: Record<string, string> = {}
  for (const [name, check] of Object.entries(GATEWAY_CHECKS)) {
    results[name] = await check(client, settings).then(() => 'ok', String)
  }
  return results
}

/** Asks for reports that a fixture damages. Returns each name with `ok` or what went wrong. */
export async function checkFaults(settings: SuiteSettings): Promise<Record<string, string>> {
  const client = new CounterfoilClient({ ...settings, retries: 0, idleTimeoutMs: 10_000 })
  const results: Record<string, string> = {}
  for (const [name, code] of Object.entries(FAULTS)) {
    const { body, completed } = await client.report(name)
    const errors = [await failureOf(readAll(body)), await failureOf(completed)]
    const codes = errors.map((error) => error.code)
    results[name] = codes.every((one) => one === code) ? 'ok' : codes.join()
  }
  results['is-silent'] = await abortReport(client, 'is-silent').then(() => 'ok', String)
  return results
}

/** Aborts a report that never ends. */
async function abortReport(client: CounterfoilClient, report: string): Promise<void> {
  const controller = new AbortController()
  const { body, completed } = await client.report(report, {}, controller)
  const reader = body.getReader()
  await reader.read()
  const reason = new Error('enough')
  controller.abort(reason)
  reader.releaseLock()
  for (const end of [readAll(body), completed]) {
    const error: unknown = await end.then(
      () => 'no error',
      (cause: unknown) => cause,
    )
    if (error !== reason) throw new Error(`expected the reason of the signal, got ${String(error)}`)
  }
}

async function failureOf(promise: Promise<unknown>): Promise<CounterfoilError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof CounterfoilError) return error
    throw error
  }
  throw new Error('expected an error')
}

async function readAll(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value)
  }
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

function same(got: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(got), JSON.stringify(expected)]
  if (one !== other) throw new Error(`expected ${other}, got ${one}`)
}
