/** Round steps of an axis. */
const STEPS = [1, 2, 2.5, 5, 10]
const TICKS_MAX = 6

/** Returns round values from below `low` to above `high`, at most about six. */
export function ticksOf(low: number, high: number): readonly number[] {
  const span = high - low || 1
  const power = 10 ** Math.floor(Math.log10(span / TICKS_MAX))
  const step = power * (STEPS.find((factor) => span / (factor * power) <= TICKS_MAX) ?? 10)
  const first = Math.floor(low / step)
  const last = Math.max(first + 1, Math.ceil(high / step))
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
}
