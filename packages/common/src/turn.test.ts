import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { countTurns } from '../../gateway/test/kit/count-turns.ts'
import { Turn } from './turn.ts'

test('slices have all bytes in their order, and share their memory', async () => {
  const bytes = new Uint8Array(1_000_000).subarray(7)
  const seen: Buffer[] = []
  for await (const slice of new Turn().slicesOf(bytes.map((_, at) => at % 251))) seen.push(slice)
  expect(seen.map(({ length }) => length)).toEqual([262_144, 262_144, 262_144, 213_561])
  expect(Buffer.concat(seen)).toEqual(Buffer.from(bytes.map((_, at) => at % 251)))
  for await (const slice of new Turn().slicesOf(bytes)) expect(slice.buffer).toBe(bytes.buffer)
  for await (const _ of new Turn().slicesOf(bytes.subarray(0, 0))) expect.unreachable()
})

test('others have their turn after each slice that takes longer than a turn', async () => {
  let now = 0
  const turn = new Turn(() => now)
  const read = async (ms: number): Promise<number> => {
    return await countTurns(async () => {
      for await (const _ of turn.slicesOf(new Uint8Array(10 * 262_144))) now += ms
    })
  }
  expect(await read(1)).toBeLessThan(3)
  expect(await read(11)).toBeGreaterThanOrEqual(9)
})

test('others have their turn between the turns of two reports', async () => {
  let rounds = 0
  const over = new AbortController()
  const counting = (async () => {
    for (; !over.signal.aborted; rounds += 1) await setImmediate()
  })()
  const reports = Array.from({ length: 5 }, () => new Turn())
  const begun = await Promise.all(
    reports.map(async (turn) => {
      await turn.next()
      return rounds
    }),
  )
  over.abort()
  await counting
  expect(new Set(begun).size).toBe(reports.length)
})
