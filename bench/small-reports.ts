import { engineQuery, engineRequest, ONE_DAY, oneDayReader } from './ask.ts'
import { compare, type Comparison } from './compare.ts'
import { MERCHANT_ID, withGateway } from './gateway.ts'

const ROWS = 5_000_000
const AT_ONCE = 4
const ROUNDS = 7
const ROUND_MS = 3000

/**
 * Measures reports of one merchant's day, four at once. The gateway verifies each signature and stores each nonce on
 * disk. The reference runs the same query four times at once on the engine.
 */
export async function measureSmallReports(): Promise<readonly Comparison[]> {
  return await withGateway({ rows: ROWS }, async (gateway) => {
    const [merchant] = gateway.merchants
    if (!merchant) throw new Error('expected a merchant')
    const query = engineQuery(ONE_DAY, `merchant_id IN ('${MERCHANT_ID}')`)
    const { url, ...request } = engineRequest(gateway.ownServer, query)
    const readQuery = async () => {
      const answer = await fetch(url, { method: 'POST', ...request })
      const result = await answer.text()
      if (!answer.ok) throw new Error(result)
    }
    const compared = {
      name: `small reports, ${AT_ONCE} at once`,
      unit: 'reports/s',
      referenceName: 'the bare query on the engine',
      atLeast: 1,
    }
    const readReport = oneDayReader(gateway, merchant)
    return [
      await compare(
        compared,
        ROUNDS,
        () => rate(readReport),
        () => rate(readQuery),
      ),
    ]
  })
}

/** Repeats `work` for the time of a round, `AT_ONCE` at a time. Returns how often a second it was done. */
async function rate(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  let done = 0
  const repeat = async (): Promise<void> => {
    for (; performance.now() - startedAt < ROUND_MS; done += 1) await work()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, repeat))
  return (done * 1000) / (performance.now() - startedAt)
}
