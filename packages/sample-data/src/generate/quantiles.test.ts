import { expect, test } from 'vitest'
import {
  APPROVALS,
  DAYTIME_INTERVALS,
  DAYTIME_SECONDS,
  LAG_DAYS_MAX,
  LAG_INTERVALS,
  LAGS,
  LOG_NORMAL,
  LOG_NORMAL_INTERVALS,
  merchantRanks,
  RANK_INTERVALS,
  SIGMAS,
} from './quantiles.ts'

/** The share of a density below a value, summed in many small steps. */
function shareBelow(density: (at: number) => number, value: number, end: number): number {
  const steps = 20_000
  const sum = (to: number): number => {
    let total = 0
    for (let step = 0; step < steps; step += 1) total += density(((step + 0.5) * to) / steps)
    return (total * to) / steps
  }
  return sum(value) / sum(end)
}

test.each(['narrow', 'medium', 'wide'] as const)('the %s prices are log-normal', (spread) => {
  const table = LOG_NORMAL[spread]
  expect(table).toHaveLength(LOG_NORMAL_INTERVALS + 1)
  for (const [index, thousandths] of table.slice(1, -1).entries()) {
    const deviations = Math.log(thousandths / 1000) / SIGMAS[spread]
    const normal = (at: number) => Math.exp(-((at - 8) ** 2) / 2)
    const share = shareBelow(normal, deviations + 8, 16)
    expect(share).toBeCloseTo((index + 1) / LOG_NORMAL_INTERVALS, 2)
  }
  expect(table).toEqual(table.toSorted((a, b) => a - b))
})

test('refunds follow a geometric distribution of six days, complaints a gamma distribution of 35', () => {
  const geometric = (days: number) => 1 - (6 / 7) ** days
  const gamma = (days: number) => 1 - Math.exp(-days / 17.5) * (1 + days / 17.5)
  for (const [index, tenths] of LAGS.refund.slice(0, -1).entries()) {
    expect(geometric(tenths / 10)).toBeCloseTo(index / LAG_INTERVALS, 1.7)
  }
  for (const [index, tenths] of LAGS.complaint.slice(0, -1).entries()) {
    expect(gamma(tenths / 10)).toBeCloseTo(index / LAG_INTERVALS, 1.7)
  }
  for (const table of Object.values(LAGS)) {
    expect(table).toHaveLength(LAG_INTERVALS + 1)
    // The last quantile itself is never drawn.
    expect(table.at(-1)).toBeLessThanOrEqual(10 * (LAG_DAYS_MAX + 1))
  }
})

test('gates approve by beta(20, 7)', () => {
  const beta = (at: number) => at ** 19 * (1 - at) ** 6
  for (const [index, tenThousandths] of APPROVALS.entries()) {
    const share = shareBelow(beta, tenThousandths / 10_000, 1)
    expect(share).toBeCloseTo((index + 0.5) / APPROVALS.length, 3)
  }
})

test('a shop’s day has all its seconds in order', () => {
  expect(DAYTIME_SECONDS).toHaveLength(DAYTIME_INTERVALS + 1)
  expect([DAYTIME_SECONDS[0], DAYTIME_SECONDS.at(-1)]).toEqual([0, 86_400])
  expect(DAYTIME_SECONDS).toEqual(DAYTIME_SECONDS.toSorted((a, b) => a - b))
})

test('a few merchants have half of the volume, and every merchant has a share', () => {
  const ranks = merchantRanks(1000)
  expect(ranks).toHaveLength(RANK_INTERVALS + 1)
  expect(ranks.filter((rank) => rank <= 10).length / RANK_INTERVALS).toBeCloseTo(0.5, 1)
  for (const merchants of [10, 32, 1000, 2236, 10_000]) {
    const bounds = merchantRanks(merchants)
    const reached = new Set<number>()
    for (const [index, from] of bounds.slice(0, -1).entries()) {
      const to = Math.max(from + 1, bounds[index + 1] ?? 0)
      for (let rank = from; rank < to; rank += 1) reached.add(rank)
    }
    expect(reached.size).toBe(merchants)
    expect(Math.max(...reached)).toBe(merchants)
  }
})
