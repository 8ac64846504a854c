// The client and the real gateway's runs: lists, manifests, and manifests as the proof of reports. A period in days,
// against the same period in one request.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CounterfoilClient, type Fetch } from '@counterfoil/client'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([
  24_000,
  ['transactions-list.yaml', 'daily-totals.yaml'],
])
const { login, controlKey } = sandbox.logins.merchant
const options = { endpoint: gateway.reportUrl, login, controlKey }
const client = new CounterfoilClient(options)
const fetched = new CounterfoilClient({ ...options, fetch: globalThis.fetch })

test('proves a report by its manifest where trailers are not visible', async () => {
  const file = join(sandbox.folder, 'by-manifest.csv')
  const byTrailers = join(sandbox.folder, 'by-trailers.csv')
  const proved = await fetched.download('transactions-list', {}, file)
  expect(proved).toMatchObject({ proof: 'manifest' })
  const other = await client.download('transactions-list', {}, byTrailers)
  expect([other.proof, other.sha256]).toEqual(['trailers', proved.sha256])
})

test.each([
  ['proves the bytes of a report to a browser, which always accepts gzip', undefined, 'manifest'],
  ['compares the rows of a report that the gateway compressed', 'no-cache', 'rows'],
])('%s', async (_, cacheControl, expected) => {
  // A browser sets `Accept-Encoding` itself. A proxy may drop `Cache-Control`.
  const asBrowser: Fetch = async (url, init) => {
    const headers = new Headers(init.headers)
    headers.set('Accept-Encoding', 'gzip')
    if (cacheControl) headers.set('Cache-Control', cacheControl)
    return await fetch(url, { ...init, headers })
  }
  const browser = new CounterfoilClient({ ...options, fetch: asBrowser })
  const { body, completed, runId = '' } = await browser.report('transactions-list')
  await new Response(body).arrayBuffer()
  const { rows, proof } = await completed
  expect(proof).toBe(expected)
  const { file } = await client.manifest(runId)
  expect(file).toMatchObject({ rows })
  expect(file?.contentCoding).toBe(cacheControl ? 'gzip' : undefined)
})

// The clocks of Riga change on 2026-10-25. The ends are no midnights.
const PERIOD = {
  dateFrom: '2026-10-20 13:30',
  dateTo: '2026-10-29 09:00:00',
  timezone: 'Europe/Riga',
  columns: ['Transaction_id', 'Created_date', 'Amount'],
}

test('has the rows of the whole period, each once', async () => {
  const [days, whole] = [join(sandbox.folder, 'days.csv'), join(sandbox.folder, 'whole.csv')]
  const joined = await client.download('transactions-list', PERIOD, days, { split: 'day' })
  const { rows } = await client.download('transactions-list', PERIOD, whole)
  expect(joined).toMatchObject({ rows, proof: 'trailers' })
  expect(rows).toBeGreaterThan(50)
  const read = (file: string) => parse(readFileSync(file)).map(String)
  expect(read(days).toSorted()).toEqual(read(whole).toSorted())
  expect(read(days)[0]).toBe('Transaction_id,Created_date,Amount')
})
