/** One thing measured twice in one run: our way, and the way that it is held against. */
export interface Comparison {
  readonly name: string
  /** The unit of `ours` and `reference`, for example `signatures/s`. */
  readonly unit: string
  readonly ours: number
  readonly referenceName: string
  readonly reference: number
  /** `ours / reference`; where it was measured in rounds, the median of the rounds' ratios. */
  readonly ratio: number
  /** The ratio's target, whichever way it points. */
  readonly atLeast?: number
  readonly atMost?: number
}

/** What may be at most `atMost` times its reference. */
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
