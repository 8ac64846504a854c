import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import type { RunningGateway } from '../../../gateway/test/kit/running-gateway.ts'
import type { Login, Sandbox } from '../../../gateway/test/kit/sandbox.ts'
import { serveSandbox } from '../../../gateway/test/kit/served-sandbox.ts'
import { launchChromium } from '../../../signing/test/launch-chromium.ts'

/** A console that a real gateway serves to a real browser. */
export interface ServedConsole {
  readonly sandbox: Sandbox
  readonly gateway: RunningGateway
  /** The address of the console, which ends with `/`. */
  readonly address: string
  /**
   * Opens a page of the console. The test fails if the page throws, logs an error, asks another host, sends a key,
   * or runs a text.
   *
   * @param fragment the route, such as `#/sign`
   */
  open(fragment?: string, options?: BrowserContextOptions): Promise<Page>
  /** Opens the report view as a login, with its control key. */
  openAs(login: Login, options?: BrowserContextOptions): Promise<Page>
}

/** Serves the console until the last test of the file has run. Takes what `serveSandbox` takes. */
export async function serveConsole(
  ...options: Parameters<typeof serveSandbox>
): Promise<ServedConsole> {
  const { sandbox, gateway } = await serveSandbox(...options)
  const browser = await launchChromium()
  afterAll(() => browser.close())
  const { origin } = new URL(gateway.reportUrl)
  const address = `${origin}/console/`
  const keys = Object.values(sandbox.logins).map(({ controlKey }) => controlKey)
  const open: ServedConsole['open'] = async (fragment = '', contextOptions = {}) => {
    const context = await browser.newContext(contextOptions)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      // The browser logs the status of a refusal or a problem by itself.
      const isStatus = message.text().includes('the server responded with a status of')
      if (message.type() === 'error' && !isStatus) faults.push(message.text())
    })
    page.on('dialog', (dialog) => {
      faults.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      const url = request.url()
      const sent = `${url} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`
      if (!/^(blob|data):/.test(url) && !url.startsWith(`${origin}/`)) faults.push(`sent to ${url}`)
      if (keys.some((key) => sent.includes(key))) faults.push(`the key is in ${sent}`)
    })
    onTestFinished(async () => {
      // Hostile texts of the tests set `hacked` if they run.
      const run = await page.evaluate('globalThis.hacked ?? ({}).hacked ?? null')
      const elements = await page.locator('main img, main script').count()
      await context.close()
      expect([faults, run, elements]).toEqual([[], null, 0])
    })
    await page.goto(address + fragment)
    return page
  }
  return {
    sandbox,
    gateway,
    address,
    open,
    openAs: async (login, contextOptions) => {
      const page = await open('', contextOptions)
      await connectAs(page, login)
      return page
    },
  }
}

/** Connects with a login and its control key, as a person does. */
export async function connectAs(
  page: Page,
  { login, controlKey }: Pick<Login, 'login' | 'controlKey'>,
): Promise<void> {
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Control key', { exact: true }).fill(controlKey)
  await page.getByRole('button', { name: 'Connect' }).click()
}

/** How long a page may take to show something, on a loaded machine. */
const SHOWN_MS = 120_000

/** Expects that axe finds nothing in a page, by all rules or some, and that the page does not scroll sideways. */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  // Without it, axe opens a second page for what it found in frames. The console has no frames.
  const axe = new AxeBuilder({ page }).setLegacyMode()
  if (rules) axe.withRules(rules)
  const { violations } = await axe.analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect(overflow).toBe(0)
}

/** Expects the same in light and dark, on a wide screen and on a telephone. */
export async function expectAccessibleEverywhere(page: Page): Promise<void> {
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page, ['color-contrast'])
  await page.setViewportSize({ width: 375, height: 740 })
  await expectAccessible(page, ['color-contrast', 'scrollable-region-focusable', 'target-size'])
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Expects that a person sees something. */
export async function expectShown(locator: Locator): Promise<void> {
  await locator.waitFor({ state: 'visible', timeout: SHOWN_MS })
  expect(await locator.count()).toBe(1)
}
