import { join } from 'node:path'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

const KEPT_FILES = 'packages/gateway/test/kit/kept-files.ts'
const BUILD_CONSOLE = 'packages/console/test/kit/build.ts'

const COMPILE_CACHE = join(import.meta.dirname, 'node_modules/.cache/compile')

export default defineConfig({
  test: {
    maxWorkers: 2,
    tags: [{ name: 'long', description: 'runs in `npm run test:all` only' }],
    projects: [
      // It counts the work of first calls, so no other file loads its modules before.
      project('signing', ['packages/signing/{src,test}/**/*.test.ts'], { isolate: true }),
      project(
        'others',
        ['packages/!(signing)/{src,test}/**/*.test.ts', '{scripts,test}/**/*.test.ts'],
        {
          // The files of a worker share its modules, so no file replaces a module.
          isolate: false,
          globalSetup: [KEPT_FILES, BUILD_CONSOLE],
        },
      ),
    ],
  },
})

function project(
  name: string,
  include: string[],
  settings: { readonly isolate: boolean; readonly globalSetup?: string[] },
): TestProjectConfiguration {
  return {
    test: {
      name,
      include,
      pool: 'forks',
      // Node reads the sources as it does elsewhere, and no file replaces a module.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      // They end what hangs. No test may need a quiet machine, so they are far beyond what any test takes.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: 60_000 } },
      // Commands that tests start, in whatever folder, read their sources from the cache of the one before.
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
      ...settings,
    },
  }
}
