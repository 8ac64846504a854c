// The client and the real gateway's runs: lists, manifests, and manifests as the proof of reports.

import { join } from 'node:path'
import { CounterfoilClient, type Fetch } from '@counterfoil/client'
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
