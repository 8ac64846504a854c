import type { ChildProcess } from 'node:child_process'
import type { ReportRequest } from '@counterfoil/protocol'
import { askOnce } from './ask-once.ts'
import { openBenchGateway } from './bench-gateway.ts'
import { type Comparison, limited } from './comparison.ts'
import type { Serving } from './gateway-process.ts'
import { type Asked, readWithCurl } from './read-with-curl.ts'
import { median } from './rounds.ts'
import { delayOf, peakOf, withGateway } from './with-gateway.ts'

const COMPLETE_LEDGER: ReportRequest = { reportIdentifier: 'transactions-list' }
const MIB = 1024 * 1024
const OVER_IDLE_MIB = 450
const FIRST_BYTE_MS = 200
const AT_ONCE = 16
/** The default of `engine.memoryMax`, in MiB. */
const ENGINE_MIB = 4096
/** The longest that planning, hashing or sending may block other requests. */
const STRETCH_MS = 20
const PEAKS = 3
/** All ledgers read as many rows for each peak: a longer measurement finds a higher peak. */
const ROWS_PER_PEAK = 20_000_000

/**
 * Measures a gateway in its own process: resident memory, the time to a report's first byte, and 16 reports at once.
 */
export async function measureMemory(): Promise<readonly Comparison[]> {
  for (const rows of [5_000_000, 20_000_000]) await settle(rows)
  const five = await withGateway(5_000_000, measureOne)
  const sixteen = await withGateway(5_000_000, measureSixteen)
  const twenty = await withGateway(20_000_000, measureOne)
  const mib = 'MiB over idle'
  return [
    limited(
      'memory of a report of 5,000,000 rows',
      mib,
      five.overIdleMiB,
      'the limit',
      OVER_IDLE_MIB,
    ),
    limited(
      'memory of a report of 20,000,000 rows',
      mib,
      twenty.overIdleMiB,
      'the same of 5,000,000 rows',
      five.overIdleMiB,
      1.1,
    ),
    limited('first byte of 5,000,000 rows', 'ms', five.firstByteMs, 'the limit', FIRST_BYTE_MS),
    limited('first byte of 20,000,000 rows', 'ms', twenty.firstByteMs, 'the limit', FIRST_BYTE_MS),
    limited(
      `memory of ${AT_ONCE} large reports at once`,
      mib,
      sixteen.overIdleMiB,
      'engine.memoryMax',
      ENGINE_MIB,
    ),
    limited(
      `event-loop delay beside ${AT_ONCE} large reports: longest`,
      'ms',
      sixteen.longestMs,
      'the limit',
      STRETCH_MS,
    ),
    limited(
      `event-loop delay beside ${AT_ONCE} large reports: p99.9`,
      'ms',
      sixteen.p999Ms,
      'the limit',
      STRETCH_MS,
    ),
    limited('a small report beside 4 large', 'ms', sixteen.smallMs, 'one second', 1000),
  ]
}

/**
 * Merges each month of a ledger into one part, as the engine does over time. A report of the complete ledger takes some
 * MiB for each part, whatever its number of rows. A new ledger has several parts for a month.
 */
async function settle(rows: number): Promise<void> {
  const { gateway, engine } = await openBenchGateway(rows)
  const settings = 'SETTINGS optimize_skip_merged_partitions = 1'
  await engine.execute(`OPTIMIZE TABLE transactions FINAL ${settings}`)
  await gateway.close()
}

interface Measured {
  readonly overIdleMiB: number
  readonly firstByteMs: number
}

/** Medians of several peaks, because the time at which freed memory returns varies. */
async function measureOne(
  process: ChildProcess,
  serving: Serving,
  rows: number,
): Promise<Measured> {
  const overIdles: number[] = []
  const firstBytes: number[] = []
  for (let peak = 0; peak < PEAKS; peak += 1) {
    for (let read = 0; read < ROWS_PER_PEAK; read += rows) {
      firstBytes.push((await readWithCurl(askedAs(serving), COMPLETE_LEDGER)).firstByteMs)
    }
    overIdles.push(overIdle(await peakOf(process), serving))
  }
  return { overIdleMiB: median(overIdles), firstByteMs: median(firstBytes) }
}

async function measureSixteen(process: ChildProcess, serving: Serving) {
  // With several logins, because one login may not take all places.
  const large = (count: number) => {
    return Array.from({ length: count }, (_, index) => {
      return readWithCurl(askedAs(serving, index % serving.operators.length), COMPLETE_LEDGER)
    })
  }
  await Promise.all([smallReport(serving), smallReport(serving)])
  await peakOf(process)
  await delayOf(process)
  // Each reads to the end. An incomplete report throws.
  await Promise.all(large(AT_ONCE))
  const delay = await delayOf(process)
  const overIdleMiB = overIdle(await peakOf(process), serving)
  const four = large(4)
  const smallTimes: number[] = []
  const ended = Promise.all(four).then(() => true)
  while (!(await Promise.race([ended, pause()]))) smallTimes.push(await smallReport(serving))
  return { overIdleMiB, ...delay, smallMs: median(smallTimes) }
}

async function smallReport({ reportUrl, merchants: [merchant] }: Serving): Promise<number> {
  const days = { dateFrom: '2026-03-10', dateTo: '2026-03-11' }
  const inputReportParameters = Object.entries(days).map(([name, value]) => {
    return { type: 'INPUT_TEXT', name, value } as const
  })
  const startedAt = performance.now()
  const failure = await askOnce(reportUrl, merchant, { ...COMPLETE_LEDGER, inputReportParameters })
  if (failure !== undefined) throw new Error(`expected a small report, got ${failure}`)
  return performance.now() - startedAt
}

function askedAs({ reportUrl, operators }: Serving, index = 0): Asked {
  return { reportUrl, operator: operators[index] ?? operators[0] }
}

async function pause(): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, 50))
  return false
}

function overIdle(bytes: number, { idleBytes }: Serving): number {
  return (bytes - idleBytes) / MIB
}
