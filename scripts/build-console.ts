// `npm run console` builds the page of `packages/console` into its folder `static`, which the gateway serves. It builds
// only if a source of the page has changed, or with `--force`. The demo and the tests call it before they start.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { repositoryFiles } from './repository-files.ts'

/** What a browser loads to show the console, compressed. */
const GZIP_BYTES_MAX = 70_000

const ROOT = join(import.meta.dirname, '..')
const PACKAGE = join(ROOT, 'packages/console')
const OUTPUT = join(PACKAGE, 'static')
const STAMP = join(ROOT, 'node_modules/.cache/console-built-from')

/** The files that the page is built from. */
const SOURCES = [
  'packages/console/page/**/*.*',
  'packages/{client,protocol,signing}/src/**/*.ts',
  'package-lock.json',
  'scripts/build-console.ts',
]

/** Builds the page, unless it is up to date. Throws if it has become larger than `GZIP_BYTES_MAX`. */
export async function buildConsole({ force = false } = {}): Promise<void> {
  const stamp = stampOf(SOURCES.flatMap((pattern) => repositoryFiles(ROOT, pattern)))
  const isFresh = existsSync(OUTPUT) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp
  if (isFresh && !force) return
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    root: join(PACKAGE, 'page'),
    base: './',
    // The bundle takes the browser's half of the signing package and of the client.
    resolve: { conditions: ['browser', 'import', 'module', 'default'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: OUTPUT,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      // The policy of the page allows files of the gateway only, and no inline code.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  })
  const outputs = [result].flat().flatMap((built) => ('output' in built ? built.output : []))
  const sizes = outputs.map((file) => {
    return gzipSync(file.type === 'chunk' ? file.code : file.source).length
  })
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total > GZIP_BYTES_MAX) {
    throw new Error(`the console has ${total} bytes with gzip; expected at most ${GZIP_BYTES_MAX}`)
  }
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, stamp)
  console.log(`Built the console: ${total} bytes with gzip.`)
}

/** The content of the files in one hash. */
function stampOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}

if (import.meta.main) await buildConsole({ force: process.argv.includes('--force') })
