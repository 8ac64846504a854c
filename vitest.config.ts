import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

/** The workspaces, each a project of its own: `npx vitest run --project signing`. */
const PACKAGES = readdirSync(join(import.meta.dirname, 'packages'))

const KEPT_FILES = 'packages/gateway/test/kit/kept-files.ts'
const BUILD_CONSOLE = 'packages/console/test/kit/build.ts'

/** Projects whose tests start a gateway or an engine. */
const WITH_GATEWAY = [
  'engine',
  'store',
  'ledger',
  'formats',
  'templates',
  'sample-data',
  'console',
  'gateway',
]

const COMPILE_CACHE = join(import.meta.dirname, 'node_modules/.cache/compile')

export default defineConfig({
  test: {
    maxWorkers: 2,
    tags: [{ name: 'long', description: 'runs in `npm run test:all` only' }],
    projects: [
      ...PACKAGES.map((name) => project(name, [`packages/${name}/{src,test}/**/*.test.ts`])),
      project('repository', ['{scripts,test}/**/*.test.ts']),
    ],
  },
})

function project(name: string, include: string[]): TestProjectConfiguration {
  return {
    test: {
      name,
      include,
      pool: 'forks',
      // The files of a worker share its modules, so no file replaces a module. Signing counts the work of first calls.
      isolate: name === 'signing',
      // Node reads the sources as it does elsewhere, and no file replaces a module.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      // They end what hangs. No test may need a quiet machine, so they are far beyond what any test takes.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: 60_000 } },
      globalSetup: WITH_GATEWAY.includes(name) ? [KEPT_FILES, BUILD_CONSOLE] : [],
      // Commands that tests start, in whatever folder, read their sources from the cache of the one before.
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    },
  }
}
