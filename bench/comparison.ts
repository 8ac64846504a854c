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
