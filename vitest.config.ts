import { join } from 'node:path'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

/**
 * Test files of these keep nothing in a module, and replace none: a process of each worker runs them one after the other.
 * Files of the gateway replace modules.
 */
const SHARING = ['protocol', 'client', 'counterfoil', 'console']

/** The workspaces, each a project of its own: `npx vitest run --project signing`. */
const PACKAGES = [
  'signing',
  'protocol',
  'pdf-writer',
  'client',
  'counterfoil',
  'console',
  'gateway',
  'sample-data',
]

const KEPT_FILES = 'packages/gateway/test/kit/kept-files.ts'
const BUILD_CONSOLE = 'packages/console/test/kit/build.ts'

const GLOBAL_SETUP: Readonly<Record<string, string[]>> = {
  gateway: [KEPT_FILES, BUILD_CONSOLE],
  'sample-data': [KEPT_FILES, BUILD_CONSOLE],
  console: [KEPT_FILES, BUILD_CONSOLE],
}

const COMPILE_CACHE = join(import.meta.dirname, 'node_modules/.cache/compile')

export default defineConfig({
  test: {
    maxWorkers: 2,
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
      isolate: !SHARING.includes(name),
      // They end what hangs. No test may need a quiet machine, so they are far beyond what any test takes.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: 60_000 } },
      globalSetup: GLOBAL_SETUP[name] ?? [],
      // Commands that tests start, in whatever folder, read their sources from the cache of the one before.
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    },
  }
}
