// `npm run docs:console` takes the pictures of docs/console.md: a demo serves the console to a real browser.

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importControlKey, sign } from '@counterfoil/signing'
import type { Page } from 'playwright-core'
import { runCommand } from '../packages/gateway/test/kit/child-gateway.ts'
import { freePort } from '../packages/gateway/test/kit/free-port.ts'
import { launchChromium } from '../packages/signing/test/launch-chromium.ts'
import { buildConsole } from './build-console.ts'

const PICTURES = join(import.meta.dirname, '../docs/pictures')

/** Readers of the page load all of its pictures. */
const PICTURE_BYTES_MAX = 180_000

/** What the demo prints for people who try it. */
interface Demo {
  readonly endpoint: string
  readonly login: string
  readonly controlKey: string
}

/** Each picture: its name, its height, and what a person does before it. */
const SHOTS = [
  ['console-report', 900, showChart],
  ['console-signature', 860, showSignature],
  ['console-diagnosis', 760, showDiagnosis],
] as const

async function showChart(page: Page): Promise<void> {
  await page.getByLabel('From', { exact: true }).fill('2026-10-01')
  await page.getByLabel('To (not included)').fill('2026-11-01')
  await page.getByRole('button', { name: 'Show the report' }).click()
  await page.getByText('Totals of all rows').waitFor()
  await page.getByRole('button', { name: 'Totals and charts' }).click()
  await page.getByText(/^The figures as a table/).waitFor()
}

async function showSignature(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Signature' }).click()
  await page.getByRole('heading', { name: 'Write the header' }).waitFor()
}

/** A classic of gateways behind a proxy: the program signed http for https, or the reverse. */
async function showDiagnosis(page: Page, { endpoint, login, controlKey }: Demo): Promise<void> {
  const body = '{"reportIdentifier":"transactions-list"}'
  const contentType = 'application/json'
  const url = endpoint.replace('http:', 'https:')
  const key = await importControlKey(controlKey)
  const signed = await sign({ method: 'POST', url, contentType, body }, { consumerKey: login, key })
  const headers = `-H 'Content-Type: ${contentType}' -H 'Authorization: ${signed.authorization}'`
  await page.getByRole('link', { name: 'Diagnosis' }).click()
  await page.getByLabel(/^Authorization header/).fill(`curl ${endpoint} ${headers} -d '${body}'`)
  await page.getByRole('button', { name: 'Name the mistake' }).click()
  await page.getByText(/^The base strings differ/).waitFor()
}

function readDemo(dataDir: string): Demo {
  // The demo has just written this file.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { endpoint, consumers } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as {
    readonly endpoint: string
    readonly consumers: readonly { readonly login: string; readonly controlKey?: string }[]
  }
  const consumer = consumers.find(({ controlKey }) => controlKey !== undefined)
  return { endpoint, login: consumer?.login ?? '', controlKey: consumer?.controlKey ?? '' }
}

async function takePictures(demo: Demo): Promise<void> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(new URL('/console/', demo.endpoint).href)
    await page.getByLabel('Login').fill(demo.login)
    await page.getByLabel('Control key', { exact: true }).fill(demo.controlKey)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('heading', { name: 'Ask for a report' }).waitFor()
    for (const [name, height, show] of SHOTS) {
      await page.setViewportSize({ width: 1280, height })
      await show(page, demo)
      // Buttons fade from one colour to the next.
      await page.mouse.move(0, 0)
      await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
      const path = join(PICTURES, `${name}.png`)
      await page.screenshot({ path })
      const { size } = statSync(path)
      console.log(`${name}.png: ${size} bytes`)
      if (size > PICTURE_BYTES_MAX) throw new Error(`expected at most ${PICTURE_BYTES_MAX} bytes`)
    }
  } finally {
    await browser.close()
  }
}

await buildConsole()
const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
const dataDir = join(folder, 'demo')
const demo = runCommand(['demo'], {
  PORT: String(await freePort()),
  ROWS: '100000',
  DATA_DIR: dataDir,
})
try {
  await demo.line(/^Console: /)
  await takePictures(readDemo(dataDir))
} finally {
  demo.kill('SIGTERM')
  await demo.ended
  rmSync(folder, { recursive: true })
}
