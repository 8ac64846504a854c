// @module-tag long

import { createHash } from 'node:crypto'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { launchChromium } from '../../../signing/test/launch-chromium.ts'
import { ask, LIST } from '../kit/ask.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { viewerOf } from '../kit/view-session.ts'

const ON = { console: { viewSessions: {} } }

const { sandbox, gateway } = await serveSandbox([1000], ON)
const { merchant } = sandbox.logins
const { origin } = new URL(gateway.reportUrl)
const browser = await launchChromium()
afterAll(() => browser.close())
const viewer = await viewerOf(gateway, ON)
const script = await bundleClient()

/** Opens an empty page at an address. The page has the client as `globalThis.CounterfoilClient`. */
async function openPage(address: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.route(address, (route) => {
    const headers = { 'Referrer-Policy': 'no-referrer' }
    return route.fulfill({ contentType: 'text/html', headers, body: '<!doctype html>' })
  })
  await page.goto(address)
  await page.evaluate(script)
  return page
}

async function bundleClient(): Promise<string> {
  const contents = `import { CounterfoilClient } from '@counterfoil/client'
    globalThis.CounterfoilClient = CounterfoilClient`
  const stdin = { contents, resolveDir: import.meta.dirname }
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

/** A program of a page that begins a session with a link, and returns the status of the answer. */
const beginWith = (token: string): string => `fetch('${origin}/console/session', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ link: '${token}' }),
}).then(({ status }) => status)`

test('a page of the gateway begins a session, gets a proved report, and cannot read the cookie', async () => {
  const page = await openPage(`${origin}/console/`)
  const { token } = await viewer.link(merchant.login)
  expect(await page.evaluate(beginWith(token))).toBe(204)
  expect(await page.evaluate('document.cookie')).toBe('')
  const got = await page.evaluate(`(async () => {
    const endpoint = '${origin}/console/session/reports'
    const client = new CounterfoilClient({ endpoint, login: '${merchant.login}', viewSession: true })
    const { reports } = await client.catalogue()
    const { body, completed, runId } = await client.report('transactions-list')
    const text = await new Response(body).text()
    const { viewSession } = await client.manifest(runId)
    return { reports: reports.length, text, proved: await completed, viewSession }
  })()`)
  const { text } = await ask(gateway, merchant, LIST)
  const [{ sessionId } = {}] = gateway
    .lines()
    .filter(({ path, method }) => path === '/console/session' && method === 'POST')
    .map(({ viewSession }) => ({ sessionId: viewSession }))
  expect(got).toMatchObject({
    reports: expect.any(Number),
    text,
    proved: { proof: 'manifest', sha256: createHash('sha256').update(text).digest('hex') },
    viewSession: sessionId,
  })
})

test('a page of another site can neither begin a session nor use one', async () => {
  const { token } = await viewer.link(merchant.login)
  const foreign = await openPage('http://evil.example.com/')
  // The Chromium of the tests sends requests of other sites without a preflight, so the gateway's own check answers.
  expect(await foreign.evaluate(beginWith(token))).toBe(403)

  const page = await openPage(`${origin}/console/`)
  expect(await page.evaluate(beginWith(token))).toBe(204)
  await page.route('http://evil.example.com/', (route) => {
    const form = `<form method="post" action="${origin}/console/session/reports"></form>`
    return route.fulfill({ contentType: 'text/html', body: form })
  })
  await page.goto('http://evil.example.com/')
  const answered = page.waitForResponse((response) => response.url().endsWith('/session/reports'))
  await page.evaluate('document.forms[0].submit()').catch(() => {})
  const answer = await answered
  expect(answer.status()).toBe(403)
  const { cookie } = await answer.request().allHeaders()
  expect(cookie).toBeUndefined()
})
