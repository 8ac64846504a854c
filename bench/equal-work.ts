import { randomInt } from 'node:crypto'
import {
  encodeForm,
  importControlKey,
  type Parameter,
  sign,
  verify,
} from '../packages/signing/src/index.ts'
import type { Comparison } from './comparison.ts'
import { median } from './rounds.ts'

const ROUNDS = 5
const SAMPLES = 6000
const WARM_UP = 2000

/** Two samples of the same distribution differ by more than `1.63 * sqrt(2 / n)` in one of a hundred cases. */
const CRITICAL_1_PERCENT = 1.63

const URL = 'https://gate.example.com/gate/api/v4/payout/1144'
const FORM: readonly Parameter[] = [
  ['amount', '10.42'],
  ['currency', 'USD'],
]

/**
 * Compares how long `verify` takes to refuse an unknown login and a wrong signature of a known login: the
 * Kolmogorov-Smirnov distance of the two distributions against its 1 % bound.
 */
export async function measureEqualWork(): Promise<readonly Comparison[]> {
  const key = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
  const wrong = await importControlKey('0C1FB5D0-0000-4000-8000-000000000000')
  const unknown = await refusalOf('nobody-here')
  const known = await refusalOf('known-login')

  await sample(unknown, known, WARM_UP)
  const distances: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    distances.push(kolmogorovSmirnov(...(await sample(unknown, known, SAMPLES))))
  }
  const distance = median(distances)
  const bound = CRITICAL_1_PERCENT * Math.sqrt(2 / SAMPLES)
  return [
    {
      name: 'Unknown login against a wrong signature, HMAC-SHA1',
      unit: 'Kolmogorov-Smirnov distance',
      ours: distance,
      referenceName: `the 1 % bound of ${SAMPLES} samples each`,
      reference: bound,
      ratio: distance / bound,
      atMost: 1,
    },
  ]

  /** Refuses a request of one login that an unknown key has signed. */
  async function refusalOf(consumerKey: string): Promise<() => Promise<void>> {
    const request = { method: 'POST', url: URL, form: FORM }
    const { authorization } = await sign(request, { consumerKey, key: wrong })
    const body = new TextEncoder().encode(encodeForm(FORM))
    const contentType = 'application/x-www-form-urlencoded'
    const arriving = { method: 'POST', url: URL, authorization, contentType, body }
    const consumers = new Map([['known-login', { keys: [key] }]])
    const verifier = {
      findConsumer: (login: string) => consumers.get(login),
      spendNonce: () => 'spent' as const,
    }
    return async () => {
      const { ok } = await verify(arriving, verifier)
      if (ok) throw new Error('expected a refusal')
    }
  }
}

/** The times of two operations, in nanoseconds. */
async function sample(
  first: () => Promise<void>,
  second: () => Promise<void>,
  count: number,
): Promise<readonly [number[], number[]]> {
  const [ofFirst, ofSecond]: [number[], number[]] = [[], []]
  const both = [
    [first, ofFirst],
    [second, ofSecond],
  ] as const
  for (let index = 0; index < count; index += 1) {
    // In random order, so that neither operation regularly follows other work of the process.
    for (const [run, timesNs] of randomInt(2) === 0 ? both : both.toReversed()) {
      const start = process.hrtime.bigint()
      await run()
      timesNs.push(Number(process.hrtime.bigint() - start))
    }
  }
  return [ofFirst, ofSecond]
}

/** The largest difference of the two distributions' shares, from 0 to 1. */
function kolmogorovSmirnov(first: readonly number[], second: readonly number[]): number {
  const a = first.toSorted((x, y) => x - y)
  const b = second.toSorted((x, y) => x - y)
  let [inA, inB, distance] = [0, 0, 0]
  while (inA < a.length && inB < b.length) {
    const value = Math.min(a[inA] ?? 0, b[inB] ?? 0)
    while (a[inA] === value) inA += 1
    while (b[inB] === value) inB += 1
    distance = Math.max(distance, Math.abs(inA / a.length - inB / b.length))
  }
  return distance
}
