import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { CounterfoilClient, type Payments } from '@counterfoil/client'
import { parse } from 'csv-parse/sync'
import { benchFolder } from './bench-gateway.ts'
import { type Comparison, limited } from './comparison.ts'
import type { Serving } from './gateway-process.ts'
import { peakOf, withGateway } from './with-gateway.ts'

// Only this part uses a ledger of this size: the next run must not find the operations of this run.
const ROWS = 100_000
const PER_SECOND = 200
// One minute for the runtime's young generation to grow to its full size (64 MiB), and one minute to measure.
const SECONDS = 120
const PERIODS = 6
const PER_PERIOD = (PER_SECOND * SECONDS) / PERIODS
const TICK_MS = 5
const MIB = 1024 * 1024
/** The limits for the answers to 50 and to 99 of 100 operations. */
const P50_MS = 50
const P99_MS = 500

/**
 * Sends signed operations for two minutes to a gateway in its own process. The next report must have all of them, each
 * once.
 */
export async function measureOperations(): Promise<readonly Comparison[]> {
  rmSync(benchFolder(ROWS), { recursive: true, force: true })
  const { accepted, inReport, latenciesMs, peaks } = await withGateway(ROWS, measure)
  const sent = PER_SECOND * SECONDS
  const reported = inReport.filter((id) => accepted.has(id))
  const [first = Number.NaN, , last = Number.NaN] = peaks.slice(-3)
  const name = `${PER_SECOND} operations/s for ${SECONDS} s`
  const within = (share: number, limitMs: number) => {
    const oursMs = latenciesMs[Math.floor(sent * share)] ?? Number.NaN
    return limited(`${name}: p${share * 100}`, 'ms', oursMs, 'the limit', limitMs)
  }
  const here = { unit: 'operations', reference: sent, referenceName: 'those sent' }
  const distinct = new Set(reported).size
  return [
    // The first is too low if operations are lost, the second too high if some appear twice.
    { ...here, name: `${name}: reported`, ours: distinct, ratio: distinct / sent, atLeast: 1 },
    limited(`${name}: rows reported`, 'rows', reported.length, 'operations sent', sent),
    within(0.5, P50_MS),
    within(0.99, P99_MS),
    limited(`${name}: memory, last 20 s`, 'MiB', last / MIB, '40 s before', first / MIB, 1.1),
  ]
}

async function measure(process: ChildProcess, serving: Serving) {
  const { payments } = clientOf(serving)
  const accepted = new Set<string>()
  const latenciesMs: number[] = []
  const peaks: number[] = []
  const send = async (number: number): Promise<void> => {
    const startedAt = performance.now()
    accepted.add(await transfer(payments, serving.account, `order-${number}`))
    latenciesMs.push(performance.now() - startedAt)
  }
  const startedAt = performance.now()
  const sent: Promise<void>[] = []
  for (let period = 1; period <= PERIODS; period += 1) {
    while (sent.length < period * PER_PERIOD) {
      const due = Math.floor(((performance.now() - startedAt) * PER_SECOND) / 1000)
      while (sent.length < Math.min(due, period * PER_PERIOD)) sent.push(send(sent.length))
      await sleep(TICK_MS)
    }
    peaks.push(await peakOf(process))
  }
  await Promise.all(sent)
  const inReport = await reportedIds(serving)
  return { accepted, inReport, latenciesMs: latenciesMs.toSorted((a, b) => a - b), peaks }
}

/**
 * Requests a transfer and returns its id.
 *
 * @throws if the gateway did not accept it
 */
async function transfer(payments: Payments, account: Serving['account'], orderId: string) {
  const fields = {
    client_orderid: orderId,
    amount: '10',
    currency: account.currency,
    order_desc: 'An order',
    'destination-card-no': '9001000000000000',
  }
  const endpointId = String(account.endpoint_id)
  const { 'transaction-id': id } = await payments.transferByRef(endpointId, fields)
  if (id === undefined) throw new Error('expected a transaction')
  return id
}

/** The ids in a complete report of the merchant's transactions of today. */
async function reportedIds(serving: Serving): Promise<readonly string[]> {
  const dateFrom = new Date().toISOString().slice(0, 10)
  const options = { dateFrom, columns: ['Transaction_id'] }
  const report = await clientOf(serving).report('transactions-list', options)
  const rows = parse<Record<string, string>>(await text(report.body), { columns: true })
  return rows.map((row) => row['Transaction_id'] ?? '')
}

function clientOf({ reportUrl, merchants: [{ login, controlKey = '' }] }: Serving) {
  const apiUrl = `${new URL(reportUrl).origin}/gate`
  return new CounterfoilClient({ endpoint: reportUrl, apiUrl, login, controlKey })
}
