import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The result of a run: its counts and its output. */
export interface RunResult {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly output: string
}

/** A finished process. The exit code is 1 if the process could not be started or was killed. */
export interface Finished {
  readonly code: number
  readonly output: string
}

/** The part of vitest's JSON report that this file reads. */
interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

const VITEST = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
const PROGRESS = join(import.meta.dirname, 'progress-reporter.ts')

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
/** The room that the fast tests may need there, and the memory that must be free: the tests take some themselves. */
const [FILE_BYTES_MIN, FREE_BYTES_MIN] = [4 * 2 ** 30, 10 * 2 ** 30]

/**
 * Returns a folder for temporary files in memory, or the usual folder if memory has too little room. Tests create and
 * remove many thousand small files. On a disk, that takes half of the system time of a run.
 */
export function memoryFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  const hasRoom = bavail * bsize >= FILE_BYTES_MIN && process.availableMemory() >= FREE_BYTES_MIN
  return hasRoom ? MEMORY : tmpdir()
}

/**
 * Runs vitest in `node` (a path) with `options`, and counts its tests. Tests write their temporary files to a folder in
 * `parent`. The folder is removed after the run, with what killed tests have left.
 *
 * A file that does not load counts as one failed test. So does a run that crashes or finds no test, because silence is
 * not success. A forgotten `.only` fails, because it hides the other tests.
 */
export async function runVitest(
  node: string,
  options: readonly string[],
  parent = tmpdir(),
): Promise<RunResult> {
  const folder = mkdtempSync(join(parent, 'vitest-'))
  // PostgreSQL does not run as root. Its user reaches the files of tests that root runs only through this folder.
  chmodSync(folder, 0o711)
  const report = join(folder, 'report.json')
  try {
    const reporters = ['minimal', 'json', PROGRESS].map((reporter) => `--reporter=${reporter}`)
    reporters.push(`--outputFile.json=${report}`)
    const fixed = ['run', '--allowOnly=false', ...reporters]
    const { code, output } = await run(node, [VITEST, ...fixed, ...options], { TMPDIR: folder })
    return { ...count(code, readReport(report)), output }
  } finally {
    // A killed process may write until it has ended.
    rmSync(folder, { recursive: true, maxRetries: 20 })
  }
}

/**
 * Runs a program to its end, without input, and collects its output. What the program writes to descriptor 3 appears at
 * once. `env` adds to the environment.
 */
export function run(
  program: string,
  options: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  const { promise, resolve } = Promise.withResolvers<Finished>()
  const child = spawn(program, options, {
    stdio: ['ignore', 'pipe', 'pipe', process.stdout],
    env: { ...process.env, ...env },
  })
  let output = ''
  const keep = (text: string) => {
    output += text
  }
  child.stdout?.setEncoding('utf8').on('data', keep)
  child.stderr?.setEncoding('utf8').on('data', keep)
  child.on('error', (error) => resolve({ code: 1, output: `${program}: ${error.message}` }))
  child.on('close', (code) => resolve({ code: code ?? 1, output }))
  return promise
}

function readReport(file: string): VitestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport
  } catch {
    return undefined
  }
}

function count(code: number, report: VitestReport | undefined): Omit<RunResult, 'output'> {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 }
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  const passed = report.numPassedTests
  const failed = report.numFailedTests + broken.length
  const isSilent = failed === 0 && (code !== 0 || passed === 0)
  return {
    passed,
    failed: isSilent ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}
