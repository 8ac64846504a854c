/** One value measured twice in one run: ours, and the reference. */
export interface Comparison {
  readonly name: string
  /** The unit of `ours` and `reference`, for example `signatures/s`. */
  readonly unit: string
  readonly ours: number
  readonly referenceName: string
  readonly reference: number
  /** `ours / reference`. If it was measured in rounds, the median of the rounds' ratios. */
  readonly ratio: number
  /** The target of the ratio: a minimum or a maximum. */
  readonly atLeast?: number
  readonly atMost?: number
}

/** What a comparison compares. */
type Compared = Pick<Comparison, 'name' | 'unit' | 'referenceName' | 'atLeast'>

/** Compares two rates, which it measures in turns, so that a noisy machine disturbs both alike. */
export async function compare(
  compared: Compared,
  rounds: number,
  ours: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<Comparison> {
  const measured: { readonly ours: number; readonly reference: number }[] = []
  // The first round warms up both.
  for (let round = 0; round <= rounds; round += 1) {
    // They swap places, because the second finds the files in memory.
    const before = round % 2 === 0 ? await ours() : undefined
    const referenceRate = await reference()
    const oursRate = before ?? (await ours())
    if (round > 0) measured.push({ ours: oursRate, reference: referenceRate })
  }
  return {
    ...compared,
    ours: median(measured.map((round) => round.ours)),
    reference: median(measured.map((round) => round.reference)),
    ratio: median(measured.map((round) => round.ours / round.reference)),
  }
}

/** Compares a value that may be at most `atMost` times its reference. */
export function limited(
  name: string,
  unit: string,
  ours: number,
  referenceName: string,
  reference: number,
  atMost = 1,
): Comparison {
  return { name, unit, ours, referenceName, reference, ratio: ours / reference, atMost }
}

/** The value in the middle of the sorted values. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The value below which a share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

/** The milliseconds that work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
