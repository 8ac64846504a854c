// The client and the real gateway's runs: lists, manifests, and manifests as the proof of reports. A period in days,
// against the same period in one request.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CounterfoilClient, type Fetch } from '@counterfoil/client'
import { parse } from 'csv-parse/sync'
import { createHash } from 'node:crypto'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
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

test('lists the runs of the login, and pages through them', async () => {
  const ids: string[] = []
  for (const name of ['first', 'second', 'third']) {
    const { body, completed, runId = '' } = await client.report('transactions-list', { name })
    await new Response(body).arrayBuffer()
    await completed
    await client.manifest(runId)
    ids.push(runId)
  }
  const newest = await client.runs({ limit: 2, reportIdentifier: 'transactions-list' })
  expect(newest.runs.map(({ runId }) => runId)).toEqual([ids[2], ids[1]])
  expect(newest.runs.map(({ reportName }) => reportName)).toEqual(['third', 'second'])
  const older = await client.runs({ limit: 1, before: newest.next })
  expect(older.runs.map(({ runId }) => runId)).toEqual([ids[0]])
})

test('has the manifest of a run, also signed', async () => {
  const file = join(sandbox.folder, 'run.csv')
  const asked = { columns: ['Amount', 'Currency'], configuration: { controlTotals: 'on' } }
  const saved = await client.download('transactions-list', asked, file)
  const manifest = await client.manifest(saved.runId ?? '')
  const digest = createHash('sha256').update(readFileSync(file)).digest('base64')
  expect(manifest).toMatchObject({
    runId: saved.runId,
    login,
    outcome: 'complete',
    file: { rows: saved.rows, bytes: saved.bytes, sha256: digest, replaced: 0 },
  })
  const amounts = manifest.controlTotals?.reduce((sum, total) => sum + total.amounts, 0)
  expect(amounts).toBe(saved.rows)
  const jws = await client.signedManifest(saved.runId ?? '')
  const keys = await fetch(new URL('/.well-known/jwks.json', gateway.reportUrl))
  const jwks = createLocalJWKSet((await keys.json()) as JSONWebKeySet)
  const { payload } = await compactVerify(jws, jwks)
  expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(manifest)
})

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

test('refuses a report whose rows stand for several transactions', async () => {
  const target = join(sandbox.folder, 'totals.csv')
  const saving = client.download('daily-totals', PERIOD, target, { split: 'day' })
  await expect(saving).rejects.toMatchObject({ code: 'invalid-settings' })
})
