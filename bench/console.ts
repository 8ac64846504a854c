import type { Browser, CDPSession } from 'playwright-core'
import { buildConsole } from '../scripts/build-console.ts'
import { launchChromium } from '../packages/signing/test/launch-chromium.ts'
import { type Comparison, limited } from './comparison.ts'
import type { Serving } from './gateway-process.ts'
import { withGateway } from './with-gateway.ts'

const ROWS = 1_000_000
const MEMORY_MB = 300
const FRAMES_PER_SECOND = 50
/** The time of a frame at that rate. */
const FRAME_MS = 1000 / FRAMES_PER_SECOND
const FRAMES = 300
const FIRST_VIEW_MS = 1000
/** How much slower the processor is when the first view is measured. */
const SLOWED = 4
const LOAD_MS = 1_800_000

/** Scrolls a table, first by some rows and then through all of them. Returns frames for each second. */
const SCROLL = `(async () => {
  const box = document.querySelector('[role=grid]')
  const scrolledPx = box.scrollHeight - box.clientHeight
  const startedAt = performance.now()
  for (let frame = 0; frame < ${FRAMES}; frame += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    box.scrollTop = frame < ${FRAMES / 2} ? frame * 37 : scrolledPx * (frame / ${FRAMES})
  }
  return ${FRAMES * 1000} / (performance.now() - startedAt)
})()`

/** Promises the time from the start of the navigation until the first control can be used. */
const WATCH_FIRST_VIEW = `
  const { promise, resolve } = Promise.withResolvers()
  globalThis.firstView = promise
  new MutationObserver((_, observer) => {
    if (!document.querySelector('input[name=login]')) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
  }).observe(document, { childList: true, subtree: true })`

/** Measures the console with a table of a million rows: the memory of the page, and how fast it scrolls. */
export async function measureConsole(): Promise<readonly Comparison[]> {
  await buildConsole()
  const measured = await withGateway(ROWS, async (_, serving) => {
    const browser = await launchChromium()
    try {
      const firstViewMs = await openFirstView(browser, serving)
      return { firstViewMs, ...(await openTable(browser, serving)) }
    } finally {
      await browser.close()
    }
  })
  const { firstViewMs, megabytes, framesPerSecond, frameMs, rows } = measured
  const size = `a table of ${rows.toLocaleString('en')} rows in the console`
  return [
    limited(
      `the first view of the console, with a processor slowed ${SLOWED} times`,
      'ms',
      firstViewMs,
      'the limit',
      FIRST_VIEW_MS,
    ),
    limited(`memory of ${size}`, 'MB', megabytes, 'the limit', MEMORY_MB),
    {
      name: `scrolling ${size}`,
      unit: 'frames/s',
      ours: framesPerSecond,
      referenceName: 'the limit',
      reference: FRAMES_PER_SECOND,
      ratio: framesPerSecond / FRAMES_PER_SECOND,
      atLeast: 1,
    },
    limited(`processor time of a frame of ${size}`, 'ms', frameMs, 'the limit', FRAME_MS),
  ]
}

/** Opens the console as a new visitor does. Returns the median time until it can be used. */
async function openFirstView(browser: Browser, { reportUrl }: Serving): Promise<number> {
  const times: number[] = []
  for (let visit = 0; visit < 5; visit += 1) {
    const context = await browser.newContext()
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
    await page.addInitScript(WATCH_FIRST_VIEW)
    await page.goto(new URL('/console/', reportUrl).href)
    times.push(await page.evaluate<number>('globalThis.firstView'))
    await context.close()
  }
  return times.toSorted((one, other) => one - other)[2] ?? Number.NaN
}

async function openTable(browser: Browser, { reportUrl, operators }: Serving) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const [{ login, controlKey = '' }] = operators
  await page.goto(new URL('/console/', reportUrl).href)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Control key', { exact: true }).fill(controlKey)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByLabel('From', { exact: true }).fill('2020-01-01')
  await page.getByRole('button', { name: 'Show the report' }).click()
  await page.getByRole('button', { name: 'Show every row' }).click()
  await page.getByText('Totals of all rows').waitFor({ timeout: LOAD_MS })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  // Objects, and the memory of array buffers beside them.
  const { usedSize, backingStorageSize } = await devtools.send('Runtime.getHeapUsage')
  const rows = Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1
  // A shared machine has fewer frames than its page could draw. The page's own work shows what it needs.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await secondsOfWork(devtools)
  const framesPerSecond = await page.evaluate<number>(SCROLL)
  const frameMs = ((await secondsOfWork(devtools)) - before) * (1000 / FRAMES)
  return { rows, megabytes: (usedSize + backingStorageSize) / 1e6, framesPerSecond, frameMs }
}

/** The processor time of the page's thread so far. */
async function secondsOfWork(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}
