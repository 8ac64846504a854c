import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { ReportRequest } from '../packages/protocol/src/index.ts'
import { openBenchGateway } from './bench-gateway.ts'
import type { Comparison } from './comparison.ts'
import { type Asked, readWithCurl } from './read-with-curl.ts'
import { takeTurns } from './rounds.ts'
import { signAs } from './sign-as.ts'

// A ledger of its own, because this part gives its merchants Cyrillic names.
const ROWS = 1_000_001
const ROUNDS = 3
const REQUEST = { reportIdentifier: 'transactions-list' } as const
const CYRILLIC = { ...REQUEST, reportEncode: 'windows-1251' } as const
const PIECE_BYTES = 1_000_000
const GZIP = { 'Accept-Encoding': 'gzip' }
const GZIP_LEVEL = 4

/**
 * Compares CSV in windows-1251 with UTF-8, each row with a Cyrillic name. Compares a report in gzip with Node's gzip of
 * the same bytes, which are ready.
 */
export async function measureFormatsCsv(): Promise<readonly Comparison[]> {
  const { gateway, engine, operators } = await openBenchGateway(ROWS)
  try {
    await engine.execute(
      `INSERT INTO merchants SELECT * REPLACE (concat('Магазин № ', toString(merchant_id)) AS name, row_version + 1 AS row_version) FROM merchants FINAL`,
    )
    await engine.execute('SYSTEM RELOAD DICTIONARIES')
    const asked = { reportUrl: gateway.reportUrl, operator: operators[0] }
    const read =
      (request: ReportRequest, headers = {}) =>
      async (): Promise<number> => {
        return rate((await readWithCurl(asked, request, headers)).totalMs)
      }
    const ready = await bytesOf(asked)
    const text = ready.toString('utf8', 0, 100_000)
    if (!text.includes('Магазин')) throw new Error('expected Cyrillic names in the report')
    const compressReady = async (): Promise<number> => {
      const startedAt = performance.now()
      const gzip = createGzip({ level: GZIP_LEVEL })
      const compressed = pipeline(Readable.from(piecesOf(ready)), gzip)
      for await (const _ of gzip);
      await compressed
      return rate(performance.now() - startedAt)
    }
    return [
      {
        name: `CSV in windows-1251, ${ROWS.toLocaleString('en')} rows with Cyrillic names`,
        unit: 'rows/s',
        referenceName: 'the same report in UTF-8',
        ...(await takeTurns(ROUNDS, read(CYRILLIC), read(REQUEST))),
        atLeast: 0.3,
      },
      {
        name: `CSV in gzip, level ${GZIP_LEVEL}`,
        unit: 'rows/s',
        referenceName: "Node's gzip of the ready bytes, same level",
        ...(await takeTurns(ROUNDS, read(REQUEST, GZIP), compressReady)),
        atLeast: 0.9,
      },
      {
        // On a busy machine the times above include the wait for a processor.
        name: 'CSV in gzip, beyond the plain report',
        unit: 'CPU s',
        referenceName: "Node's gzip of the ready bytes, same level",
        ...(await takeTurns(
          ROUNDS,
          async () => (await cpuOf(read(REQUEST, GZIP))) - (await cpuOf(read(REQUEST))),
          async () => await cpuOf(compressReady),
        )),
        atMost: 1.1,
      },
    ]
  } finally {
    await gateway.close()
  }
}

function* piecesOf(bytes: Buffer): Generator<Buffer, void> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    yield bytes.subarray(from, from + PIECE_BYTES)
  }
}

async function bytesOf({ reportUrl, operator }: Asked): Promise<Buffer> {
  const headers = {
    Authorization: await signAs(operator, reportUrl),
    'Content-Type': 'application/json',
  }
  const sent = requestHttp(reportUrl, { method: 'POST', headers }).end(JSON.stringify(REQUEST))
  const [answer] = await once(sent, 'response')
  return await buffer(answer)
}

/** The processor time that this process, in which the gateway runs, spends on work. */
async function cpuOf(work: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function rate(ms: number): number {
  return (ROWS * 1000) / ms
}
