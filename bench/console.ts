import type { CDPSession } from 'playwright-core'
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

/** Measures the console with a table of a million rows: the memory of the page, and how fast it scrolls. */
export async function measureConsole(): Promise<readonly Comparison[]> {
  await buildConsole()
  const { megabytes, framesPerSecond, frameMs, rows } = await withGateway(
    ROWS,
    async (_, serving) => {
      return await openTable(serving)
    },
  )
  const size = `a table of ${rows.toLocaleString('en')} rows in the console`
  return [
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

async function openTable({ reportUrl, operators }: Serving) {
  const browser = await launchChromium()
  try {
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
  } finally {
    await browser.close()
  }
}

/** The processor time of the page's thread so far. */
async function secondsOfWork(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}
