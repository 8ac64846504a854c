import { COMPLETE_LEDGER, oneDayReader, readWithCurl } from './ask.ts'
import { type Comparison, limited, median, timed } from './compare.ts'
import { type BenchGateway, withGateway } from './gateway.ts'

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

/** Measures the resident memory of a gateway, the time to a report's first byte, and 16 reports at once. */
export async function measureMemory(): Promise<readonly Comparison[]> {
  const five = await measureOne(5_000_000)
  const sixteen = await withGateway({ rows: 5_000_000 }, measureSixteen)
  const twenty = await measureOne(20_000_000)
  const mib = 'MiB over idle'
  const large = `${AT_ONCE} large reports`
  const memory = 'memory of a report of'
  const delay = `event-loop delay beside ${large}`
  const same = 'the same of 5,000,000 rows'
  return [
    limited(`${memory} 5,000,000 rows`, mib, five.overIdleMiB, 'the limit', OVER_IDLE_MIB),
    limited(`${memory} 20,000,000 rows`, mib, twenty.overIdleMiB, same, five.overIdleMiB, 1.1),
    limited('first byte of 5,000,000 rows', 'ms', five.firstByteMs, 'the limit', FIRST_BYTE_MS),
    limited('first byte of 20,000,000 rows', 'ms', twenty.firstByteMs, 'the limit', FIRST_BYTE_MS),
    limited(`memory of ${large} at once`, mib, sixteen.overIdleMiB, 'engine.memoryMax', ENGINE_MIB),
    limited(`${delay}: longest`, 'ms', sixteen.longestMs, 'the limit', STRETCH_MS),
    limited(`${delay}: p99.9`, 'ms', sixteen.p999Ms, 'the limit', STRETCH_MS),
    limited('a small report beside 4 large', 'ms', sixteen.smallMs, 'one second', 1000),
  ]
}

/** Medians of several peaks, because the time at which freed memory returns varies. */
async function measureOne(rows: number) {
  return await withGateway({ rows }, async (gateway) => {
    const overIdles: number[] = []
    const firstBytes: number[] = []
    for (let peak = 0; peak < PEAKS; peak += 1) {
      for (let read = 0; read < ROWS_PER_PEAK; read += rows) {
        const { firstByteMs } = await readWithCurl(gateway, gateway.operators[0], COMPLETE_LEDGER)
        firstBytes.push(firstByteMs)
      }
      overIdles.push(overIdleMiB(gateway, await gateway.usage()))
    }
    return { overIdleMiB: median(overIdles), firstByteMs: median(firstBytes) }
  })
}

async function measureSixteen(gateway: BenchGateway) {
  const { operators, merchants } = gateway
  // With several logins, because one login may not take all places.
  const readLarge = async (count: number): Promise<void> => {
    const logins = Array.from({ length: count }, (_, index) => operators[index % operators.length])
    await Promise.all(logins.map((login) => readWithCurl(gateway, login, COMPLETE_LEDGER)))
  }
  const [readSmall] = merchants.map((merchant) => oneDayReader(gateway, merchant))
  if (!readSmall) throw new Error('expected a merchant')
  await Promise.all([readSmall(), readSmall()])
  await gateway.usage()
  await readLarge(AT_ONCE)
  const usage = await gateway.usage()
  const over = new AbortController()
  const four = readLarge(4).finally(() => over.abort())
  const smallTimes: number[] = []
  while (!over.signal.aborted) smallTimes.push(await timed(readSmall))
  await four
  return { ...usage, overIdleMiB: overIdleMiB(gateway, usage), smallMs: median(smallTimes) }
}

/** The most memory that a gateway took above its idle size. */
export function overIdleMiB(
  { idleBytes }: { readonly idleBytes: number },
  { peakBytes }: { readonly peakBytes: number },
): number {
  return (peakBytes - idleBytes) / MIB
}
