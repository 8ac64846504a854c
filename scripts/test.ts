// `npm test` runs every check of the repository and every test but the long ones, with one line each. The last line
// counts them. `npm test -- PATTERN` runs only the tests whose files match. `npm run test:all` runs the long tests too:
// `*.long.test.ts`. They start several servers, kill processes, or try many random cases.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { memoryFolder, run, runVitest, type RunResult } from './run-vitest.ts'

/** Scripts of package.json. Each counts as one test. */
const CHECKS = ['typecheck', 'lint', 'format:check', 'boundaries', 'deadcode']

const NODE_22 = join(import.meta.dirname, 'node-22')

/** The browser does not depend on the Node that starts it. */
const WITHOUT_BROWSER = ['--exclude', '**/browser.test.ts']

process.chdir(join(import.meta.dirname, '..'))
if (!process.stdout.isTTY) process.env.NO_COLOR = '1'

const WITHOUT_LONG = ['--exclude', '**/*.long.test.ts']

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
  return [await show('tests', runVitest(process.execPath, [first, ...others]))]
}

async function testAll(withLong: boolean): Promise<RunResult[]> {
  spawnSync(process.execPath, ['scripts/install.js', NODE_22], { stdio: 'inherit' })
  const done: RunResult[] = []
  for (const name of CHECKS) done.push(await show(name, check(name)))
  done.push(await test('tests', WITHOUT_LONG))
  // Long tests write more than fits into memory.
  if (withLong) done.push(await show('long tests', runVitest(process.execPath, ['.long.test.ts'])))
  const node22 = join(NODE_22, 'node_modules/.bin/node')
  done.push(await test('signing in Node 22', ['--project', 'signing', ...WITHOUT_BROWSER], node22))
  // Node 24 handles broken connections differently.
  const http = ['--project', 'gateway', 'packages/gateway/src/http']
  done.push(await test('HTTP in Node 22', http, node22))
  return done
}

function test(name: string, options: readonly string[], node = process.execPath) {
  return show(name, runVitest(node, options, memoryFolder()))
}

async function check(name: string): Promise<RunResult> {
  const { code, output } = await run(process.execPath, ['--run', name])
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, output }
}

/** Prints the name of a check, then its duration, and its output if it failed. */
async function show(name: string, running: Promise<RunResult>): Promise<RunResult> {
  const startMs = performance.now()
  process.stdout.write(name.padEnd(24))
  const result = await running
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
  console.log(`${result.failed > 0 ? 'FAILED' : 'passed'} ${seconds.padStart(7)} s`)
  if (result.failed > 0) console.log(`\n${result.output.trim()}\n`)
  return result
}

function sum(what: 'passed' | 'failed' | 'skipped'): number {
  return results.reduce((total, result) => total + result[what], 0)
}
