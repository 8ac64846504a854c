import { createServer } from 'node:http'
import { chromium as playwright } from 'playwright-core'

/**
 * Runs a module in a page of Chromium.
 *
 * @returns what the module assigns to `globalThis.results`
 * @throws what the module throws
 */
export async function runInChromium<Results>(script: string): Promise<Results> {
  // The package unpacks its own libraries only if it believes that it runs in Lambda.
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs22.x'
  const { default: chromium } = await import('@sparticuz/chromium')
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, '--no-sandbox'],
  })
  // WebCrypto needs a secure context. A page on the loopback address is one.
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html>')
  })
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const page = await browser.newPage()
    const crashed = new Promise<never>((_, reject) => page.on('pageerror', reject))
    await page.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`)
    await page.addScriptTag({ content: script, type: 'module' })
    await Promise.race([crashed, page.waitForFunction('globalThis.results !== undefined')])
    return await page.evaluate<Results>('globalThis.results')
  } finally {
    await browser.close()
    server.close()
  }
}
