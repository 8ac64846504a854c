/** The value in the middle of the sorted values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Measures two rates in turns: the median of each, and the median of the rounds' ratios. */
export async function takeTurns(
  rounds: number,
  ours: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<{ readonly ours: number; readonly reference: number; readonly ratio: number }> {
  const measured: { readonly ours: number; readonly reference: number }[] = []
  // The first round warms up both.
  for (let round = 0; round <= rounds; round += 1) {
    // They swap places, because the second finds the files in memory.
    const first = round % 2 === 0
    const before = first ? await ours() : undefined
    const referenceRate = await reference()
    const oursRate = before ?? (await ours())
    if (round > 0) measured.push({ ours: oursRate, reference: referenceRate })
  }
  return {
    ours: median(measured.map((round) => round.ours)),
    reference: median(measured.map((round) => round.reference)),
    ratio: median(measured.map((round) => round.ours / round.reference)),
  }
}
