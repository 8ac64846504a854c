// Runs the unit tests again in Chromium, against WebCrypto, bundled as an application would be.

import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { chromium as playwright } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { BrowserResult } from './browser-suite.ts'

const SUITE = join(import.meta.dirname, 'browser-suite.ts')
const SOURCES = join(import.meta.dirname, '../src')

const results = await runInChromium(await bundleSuite())

describe('in Chromium', () => {
  it.each(results)('$name', ({ error }) => {
    expect(error).toBe(undefined)
  })

  it('runs every test, and reports a failing one', async () => {
    expect(results.length).toBeGreaterThan(100)
    const failing = `import { expect, it } from 'vitest'; it('fails', () => expect(1).toBe(2))`
    const [result] = await runInChromium(await bundle(failing))
    expect(result?.error).toContain('expected 1 to be 2')
  })
})

async function bundleSuite(): Promise<string> {
  const files = readdirSync(SOURCES).filter((file) => file.endsWith('.test.ts'))
  return await bundle(files.map((file) => `import './${file}'`).join('\n'))
}

async function bundle(tests: string): Promise<string> {
  const suite: Plugin = {
    name: 'suite-for-vitest',
    setup(builder) {
      builder.onResolve({ filter: /^vitest$/ }, ({ importer }) => {
        return importer === SUITE ? undefined : { path: SUITE }
      })
    },
  }
  const run = `import { runCollected } from ${JSON.stringify(SUITE)}\nglobalThis.results = await runCollected()`
  const { outputFiles } = await build({
    stdin: { contents: `${tests}\n${run}`, resolveDir: SOURCES, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    ignoreAnnotations: true,
    plugins: [suite],
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

async function runInChromium(script: string): Promise<readonly BrowserResult[]> {
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
    return await page.evaluate<BrowserResult[]>('globalThis.results')
  } finally {
    await browser.close()
    server.close()
  }
}
