// @module-tag long

// Runs the unit tests again in Chromium, against WebCrypto, bundled as an application would be.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { describe, expect, it } from 'vitest'
import type { BrowserResult } from './browser-suite.ts'
import { runInChromium } from './run-in-chromium.ts'

const SUITE = join(import.meta.dirname, 'browser-suite.ts')
const SOURCES = join(import.meta.dirname, '../src')

const results = await runInChromium<BrowserResult[]>(await bundleSuite())

describe('in Chromium', () => {
  it.each(results)('$name', ({ error }) => {
    expect(error).toBe(undefined)
  })

  it('has fonts, so that text takes room', async () => {
    const script = `
      document.body.textContent = 'Text \u05e9\u05dc\u05d5\u05dd \u4f60\u597d'
      globalThis.results = document.body.getBoundingClientRect().height`
    expect(await runInChromium<number>(script)).toBeGreaterThan(0)
  })

  it('runs every test, and reports a failing one', async () => {
    expect(results.length).toBeGreaterThan(100)
    const failing = `import { expect, it } from 'vitest'; it('fails', () => expect(1).toBe(2))`
    const [result] = await runInChromium<BrowserResult[]>(await bundle(failing))
    expect(result?.error).toContain('expected 1 to be 2')
  })
})

async function bundleSuite(): Promise<string> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  )
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
