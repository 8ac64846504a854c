// `npm test` runs every check of the repository and the fast tests, all tests without the tag `long`.
// `npm test -- PATTERN` runs the tests whose files match, long ones too. `npm run test:all` runs everything, and some
// tests in Node 22 too.

import { execFile, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The part of vitest's JSON report that this file reads. */
interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
}

/** Scripts of package.json. Each counts as one test. */
const CHECKS = ['typecheck', 'lint', 'format:check', 'deadcode']

const ROOT = join(import.meta.dirname, '..')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const NODE_22 = join(import.meta.dirname, 'node-22')

/** The browser does not depend on the Node that starts it. */
const WITHOUT_BROWSER = ['--exclude', '**/browser.test.ts']

/** A file that starts with this line holds long tests only. Vitest would load it, and so start its gateway. */
const LONG_FILE = /^\/\/ @module-tag long$/m
const LONG_TEST = /\['long'\]/

process.chdir(ROOT)
if (!process.stdout.isTTY) process.env.NO_COLOR = '1'
const total = { passed: 0, failed: 0, skipped: 0 }

const [first, ...others] = process.argv.slice(2)
if (first === undefined || first === '--all') await testAll(first === '--all')
else runVitest('tests', [first, ...others])

const { passed, failed, skipped } = total
if (failed > 0) process.exitCode = 1
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)

async function testAll(isLong: boolean): Promise<void> {
  await Promise.all(CHECKS.map(check))
  const files = globSync('{packages/*/{src,test},scripts,test}/**/*.test.ts')
  const longFiles = files.filter((file) => LONG_FILE.test(readFileSync(file, 'utf8')))
  const fast = ['--tags-filter', '!long', ...longFiles.flatMap((file) => ['--exclude', file])]
  const parent = memoryFolder()
  runVitest('fast tests', fast, { parent })
  if (!isLong) return
  const withLong = files.filter((file) => LONG_TEST.test(readFileSync(file, 'utf8')))
  // Long tests write more than fits into memory. They measure memory and kill processes, so each file has a process.
  const long = ['--tags-filter', 'long', '--isolate', ...longFiles, ...withLong]
  runVitest('long tests', long)
  spawnSync(process.execPath, ['scripts/install.js', NODE_22], { stdio: 'inherit' })
  const node = join(NODE_22, 'node_modules/.bin/node')
  const signing = ['--project', 'signing', ...WITHOUT_BROWSER]
  runVitest('signing in Node 22', signing, { parent, node })
  // Node 24 handles broken connections differently.
  runVitest('HTTP in Node 22', ['--project', 'others', 'packages/gateway/src/http'], {
    parent,
    node,
  })
}

/** Runs a script of package.json, and prints its output if it fails. */
async function check(name: string): Promise<void> {
  const startMs = performance.now()
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  execFile(process.execPath, ['--run', name], (error, stdout, stderr) => {
    resolve(error ? stdout + stderr : undefined)
  })
  const fault = await promise
  total[fault === undefined ? 'passed' : 'failed'] += 1
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
  const outcome = fault === undefined ? 'passed' : 'FAILED'
  console.log(`${name.padEnd(24)}${outcome} ${seconds.padStart(7)} s`)
  if (fault !== undefined) console.log(`\n${fault.trim()}\n`)
}

/**
 * Runs vitest, which prints its progress and its failures, and adds up the tests. Tests write their temporary files to
 * a folder in `parent`. The folder is removed after the run, with what killed tests have left.
 *
 * A run that crashes, finds no test, or has a file that does not load counts as one failed test, because silence is not
 * success. A forgotten `.only` fails, because it hides the other tests.
 */
function runVitest(
  title: string,
  options: readonly string[],
  { parent = tmpdir(), node = process.execPath } = {},
): void {
  console.log(title)
  const folder = mkdtempSync(join(parent, 'vitest-'))
  // PostgreSQL does not run as root. Its user reaches the files of tests that root runs only through this folder.
  chmodSync(folder, 0o711)
  const file = join(folder, 'report.json')
  const progress = process.stdout.isTTY ? 'default' : 'dot'
  const reporters = [`--reporter=${progress}`, '--reporter=json', `--outputFile.json=${file}`]
  const { status } = spawnSync(
    node,
    [VITEST, 'run', '--allowOnly=false', ...reporters, ...options],
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, TMPDIR: folder } },
  )
  const report = existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as VitestReport)
  if (report) {
    total.passed += report.numPassedTests
    total.failed += report.numFailedTests
    total.skipped += report.numPendingTests + report.numTodoTests
  }
  const hasFailed = report && report.numFailedTests > 0
  if (status !== 0 && !hasFailed) total.failed += 1
  // A killed process may write until it has ended.
  rmSync(folder, { recursive: true, maxRetries: 20 })
}

/**
 * Returns a folder for temporary files in memory, or the usual folder if memory has too little room. Tests create and
 * remove many thousand small files. On a disk, that takes half of the system time of a run.
 */
function memoryFolder(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  // The tests need memory themselves too.
  const hasRoom = bavail * bsize >= 4 * 2 ** 30 && process.availableMemory() >= 10 * 2 ** 30
  return hasRoom ? memory : tmpdir()
}
