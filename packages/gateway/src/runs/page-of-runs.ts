import type { ListedRuns } from '@counterfoil/store'

/** Writes a page of runs (`RunPage`) from their records, which are JSON already. */
export function pageOf({ runs, hasMore }: ListedRuns): string {
  const records = runs.map(({ record }) => record).join(',')
  // A number of a run would tell how many runs other logins had.
  const next = hasMore ? `,"next":${JSON.stringify(runs.at(-1)?.runId)}` : ''
  return `{"runs":[${records}]${next}}\n`
}
