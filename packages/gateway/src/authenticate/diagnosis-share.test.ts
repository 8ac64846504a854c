import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { DiagnosisShare } from './diagnosis-share.ts'

/** Asks for many diagnoses, one after the other, and returns how many ran. */
async function countRuns(share: DiagnosisShare, asked: number): Promise<number> {
  let runs = 0
  for (let index = 0; index < asked; index += 1) {
    await share.run(async () => {
      runs += 1
    })
  }
  return runs
}

test('runs no more than the maximum at once, and then a few each second', async () => {
  let nowMs = 0
  const share = new DiagnosisShare(() => nowMs)
  expect(await countRuns(share, 1000)).toBe(LIMITS.diagnosesMax)
  nowMs += 1000
  expect(await countRuns(share, 1000)).toBe(LIMITS.diagnosesPerSecondMax)
  nowMs += 3_600_000
  expect(await countRuns(share, 1000)).toBe(LIMITS.diagnosesMax)
})

test('runs one at a time, and the next one after a failure', async () => {
  const share = new DiagnosisShare(() => 0)
  let finish = () => {}
  const first = share.run(() => new Promise<void>((resolve) => (finish = resolve)))
  expect(await countRuns(share, 5)).toBe(0)
  finish()
  await first
  const failing = share.run(() => Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  expect(await countRuns(share, 1)).toBe(1)
})
