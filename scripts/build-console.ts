// `npm run console` builds the page of `packages/console` into its folder `static`, which the gateway serves. It builds
// only if a source of the page has changed, or with `--force`. The demo and the tests call it before they start.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { repositoryFiles } from './repository-files.ts'

/** What a browser loads to show the console, compressed. */
const GZIP_BYTES_MAX = 66_000

/** What a browser loads when somebody opens the views that load later: signature, diagnosis, payments and the month. */
const LATER_GZIP_BYTES_MAX = 39_000

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
      // Views that load later have no styles of their own, so that the page needs no code that loads them.
      modulePreload: false,
      cssCodeSplit: false,
      // The policy of the page allows files of the gateway only, and no inline code.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  })
  const outputs = [result].flat().flatMap((built) => ('output' in built ? built.output : []))
  const first = firstChunksOf(outputs)
  const isLater = (file: Output) => file.type === 'chunk' && !first.has(file.fileName)
  const later = sizeOf(outputs.filter(isLater), 'views', LATER_GZIP_BYTES_MAX)
  const atOnce = sizeOf(
    outputs.filter((file) => !isLater(file)),
    'page',
    GZIP_BYTES_MAX,
  )
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, stamp)
  console.log(`Built the console: ${atOnce} bytes with gzip, and ${later} that load later.`)
}

type Output = Rolldown.OutputChunk | Rolldown.OutputAsset

/** The names of the chunks that the page imports when it starts. */
function firstChunksOf(outputs: readonly Output[]): ReadonlySet<string> {
  const chunks = outputs.filter((file) => file.type === 'chunk')
  const names = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  // A set also yields what is added to it in the loop.
  for (const name of names) {
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) {
      names.add(imported)
    }
  }
  return names
}

/** The bytes of files with gzip. Throws if they are more than `bytesMax`. */
function sizeOf(files: readonly Output[], name: string, bytesMax: number): number {
  const sizes = files.map((file) => {
    return gzipSync(file.type === 'chunk' ? file.code : file.source).length
  })
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= bytesMax) return total
  throw new Error(
    `the ${name} of the console: ${total} bytes with gzip; expected at most ${bytesMax}`,
  )
}

/** The content of the files in one hash. */
function stampOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}

if (import.meta.main) await buildConsole({ force: process.argv.includes('--force') })
