import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import type { ListedRun } from '../store/run-store.ts'
import { pageOf } from './page-of-runs.ts'

function listed(number: number, length = 10): ListedRun {
  const record = JSON.stringify({ runId: String(number), text: 'x'.repeat(length) })
  return {
    number,
    runId: String(number),
    login: 'shop',
    reportIdentifier: '',
    endedAt: new Date(),
    record,
  }
}

/** The ids and the `next` of a page. */
function read(page: string) {
  const { runs, next }: { runs: { runId: string }[]; next?: string } = JSON.parse(page)
  return { ids: runs.map(({ runId }) => runId), next }
}

test('names the next page, unless this is the last one', () => {
  const runs = [listed(9), listed(7)]
  expect(read(pageOf(runs, 2))).toEqual({ ids: ['9', '7'], next: '7' })
  expect(read(pageOf(runs, 3))).toEqual({ ids: ['9', '7'], next: undefined })
  expect(read(pageOf([], 3))).toEqual({ ids: [], next: undefined })
})

test('ends a page of long records early', () => {
  const half = LIMITS.runPageLengthMax / 2
  const runs = [listed(9, half), listed(8, half), listed(7)]
  expect(read(pageOf(runs, 100))).toEqual({ ids: ['9'], next: '9' })
  const long = listed(9, 2 * LIMITS.runPageLengthMax)
  expect(read(pageOf([long, listed(8)], 100))).toEqual({ ids: ['9'], next: '9' })
})
