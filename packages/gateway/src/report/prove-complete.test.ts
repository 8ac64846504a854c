import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { proveComplete } from './prove-complete.ts'

async function* chunks(onEnd = () => {}) {
  try {
    yield { bytes: Buffer.from('"1"\r\n"2"\r\n'), rows: 2 }
    yield { bytes: Buffer.from('"3"\r\n'), rows: 1 }
  } finally {
    onEnd()
  }
}

test('passes the bytes on unchanged and returns their totals', async () => {
  const proved = proveComplete(chunks())
  const passed: Uint8Array[] = []
  let next = await proved.next()
  for (; !next.done; next = await proved.next()) passed.push(next.value)
  const text = Buffer.concat(passed).toString()
  expect(text).toBe('"1"\r\n"2"\r\n"3"\r\n')
  const sha256 = createHash('sha256').update(text).digest('base64')
  expect(next.value).toEqual({ rows: 3, replaced: 0, sha256 })
})

test('ends the source if the reader leaves', async () => {
  let ended = false
  const source = chunks(() => {
    ended = true
  })
  for await (const _ of proveComplete(source)) break
  expect(ended).toBe(true)
})

test('returns no totals if the source breaks', async () => {
  const broken = async function* () {
    yield* chunks()
    throw new Error('broken')
  }
  const proved = proveComplete(broken())
  for (let index = 0; index < 2; index += 1) expect((await proved.next()).done).toBe(false)
  await expect(proved.next()).rejects.toThrow('broken')
})
