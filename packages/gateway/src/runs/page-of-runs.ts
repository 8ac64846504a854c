import { LIMITS } from '../limits.ts'
import type { ListedRun } from '../store/run-store.ts'

/** Writes a page of runs (`RunPage`) from their records, which are JSON already. A long page ends early. */
export function pageOf(listed: readonly ListedRun[], limit: number): string {
  const records: string[] = []
  let length = 0
  for (const { record } of listed) {
    if (records.length > 0 && length + record.length > LIMITS.runPageLengthMax) break
    records.push(record)
    length += record.length
  }
  const isLast = listed.length < limit && records.length === listed.length
  const last = listed[records.length - 1]
  const next = isLast || last === undefined ? '' : `,"next":"${last.number}"`
  return `{"runs":[${records.join(',')}]${next}}\n`
}
