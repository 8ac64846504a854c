import { createServer } from 'node:http'
import { launchChromium } from './launch-chromium.ts'

const PAGE = { contentType: 'text/html; charset=utf-8', body: '<!doctype html>' }

/**
 * Runs a module in a page of Chromium.
 *
 * @param origin the origin of the page, so that the page may send requests there; by default its own server
 * @returns what the module assigns to `globalThis.results`
 * @throws what the module throws
 */
export async function runInChromium<Results>(script: string, origin?: string): Promise<Results> {
  const browser = await launchChromium()
  // WebCrypto needs a secure context. A page on the loopback address is one.
  const server = createServer((_, response) => {
    response.setHeader('content-type', PAGE.contentType).end(PAGE.body)
  })
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const page = await browser.newPage()
    const crashed = new Promise<never>((_, reject) => page.on('pageerror', reject))
    const own = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const url = `${origin ?? own}/page`
    if (origin !== undefined) await page.route(url, (route) => route.fulfill(PAGE))
    await page.goto(url)
    await page.addScriptTag({ content: script, type: 'module' })
    await Promise.race([crashed, page.waitForFunction('globalThis.results !== undefined')])
    return await page.evaluate<Results>('globalThis.results')
  } finally {
    await browser.close()
    server.close()
  }
}
