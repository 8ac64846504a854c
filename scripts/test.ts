// `npm test` runs every check of the repository and the fast tests, all tests without the tag `long`. It prints
// how far the run is, and each failure at once. `npm test -- PATTERN` runs the tests whose files match, long ones too.
// `npm run test:all` runs everything, and some tests in Node 22 too.

import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFolder, run, runVitest, type RunResult } from './run-vitest.ts'

/** Scripts of package.json. Each counts as one test. */
const CHECKS = ['typecheck', 'lint', 'format:check', 'boundaries', 'deadcode']

const NODE_22 = join(import.meta.dirname, 'node-22')

/** The browser does not depend on the Node that starts it. */
const WITHOUT_BROWSER = ['--exclude', '**/browser.test.ts']

process.chdir(join(import.meta.dirname, '..'))
if (!process.stdout.isTTY) process.env.NO_COLOR = '1'

/** A file that starts with this line holds long tests only. Vitest would load it, and so start its gateway. */
const LONG_FILE = /^\/\/ @module-tag long$/m
const LONG_TEST = /\['long'\]/

const [first = '', ...others] = process.argv.slice(2)
const results = await (first === ''
  ? testAll(false)
  : first === '--all'
    ? testAll(true)
    : testSome())

const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')]
if (failed > 0) process.exitCode = 1
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)

async function testSome(): Promise<RunResult[]> {
  return [await showTests('tests', [first, ...others])]
}

async function testAll(isLong: boolean): Promise<RunResult[]> {
  if (isLong) spawnSync(process.execPath, ['scripts/install.js', NODE_22], { stdio: 'inherit' })
  const done: RunResult[] = []
  for (const name of CHECKS) done.push(await show(name, check(name)))
  const files = globSync('{packages/*/{src,test},scripts,test}/**/*.test.ts')
  const longFiles = files.filter((file) => LONG_FILE.test(readFileSync(file, 'utf8')))
  const fast = ['--tags-filter', '!long', ...longFiles.flatMap((file) => ['--exclude', file])]
  done.push(await showTests('fast tests', fast, memoryFolder()))
  if (!isLong) return done
  const withLong = files.filter((file) => LONG_TEST.test(readFileSync(file, 'utf8')))
  // Long tests write more than fits into memory. They measure memory and kill processes, so each file has a process.
  done.push(
    await showTests('long tests', [
      '--tags-filter',
      'long',
      '--isolate',
      ...longFiles,
      ...withLong,
    ]),
  )
  const node22 = join(NODE_22, 'node_modules/.bin/node')
  const signing = ['--project', 'signing', ...WITHOUT_BROWSER]
  done.push(await showTests('signing in Node 22', signing, memoryFolder(), node22))
  // Node 24 handles broken connections differently.
  const http = ['--project', 'gateway', 'packages/gateway/src/http']
  done.push(await showTests('HTTP in Node 22', http, memoryFolder(), node22))
  return done
}

/** Runs tests, which print their own progress below the name. Their temporary files are in `folder`. */
function showTests(
  name: string,
  options: readonly string[],
  folder = tmpdir(),
  node = process.execPath,
) {
  console.log(name)
  return show(name, runVitest(node, options, folder))
}

async function check(name: string): Promise<RunResult> {
  const { code, output } = await run(process.execPath, ['--run', name])
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, output }
}

/** Prints the name of a check with its duration, and its output if it failed. */
async function show(name: string, running: Promise<RunResult>): Promise<RunResult> {
  const startMs = performance.now()
  const result = await running
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
  console.log(
    `${name.padEnd(24)}${result.failed > 0 ? 'FAILED' : 'passed'} ${seconds.padStart(7)} s`,
  )
  if (result.failed > 0) console.log(`\n${result.output.trim()}\n`)
  return result
}

function sum(what: 'passed' | 'failed' | 'skipped'): number {
  return results.reduce((total, result) => total + result[what], 0)
}
