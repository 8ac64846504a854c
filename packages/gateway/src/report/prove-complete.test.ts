import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { proveComplete } from './prove-complete.ts'

const HEAD = Buffer.from('"a"\r\n')

async function* chunks(onEnd = () => {}) {
  try {
    yield { bytes: Buffer.from('"1"\r\n"2"\r\n'), rows: 2 }
    yield { bytes: Buffer.from('"3"\r\n'), rows: 1 }
  } finally {
    onEnd()
  }
}

test.each([
  ['a head', HEAD],
  ['no head', new Uint8Array()],
])('passes the bytes on unchanged and returns their totals, with %s', async (_, head) => {
  const proved = proveComplete(head, chunks())
  const passed: Uint8Array[] = []
  let next = await proved.next()
  for (; !next.done; next = await proved.next()) passed.push(next.value)
  const text = Buffer.concat(passed).toString()
  expect(text).toBe(`${Buffer.from(head).toString()}"1"\r\n"2"\r\n"3"\r\n`)
  // An empty piece would end a response in chunked coding.
  expect(passed.filter(({ length }) => length === 0)).toEqual([])
  const sha256 = createHash('sha256').update(text).digest('base64')
  expect(next.value).toEqual({ rows: 3, sha256 })
})

test('ends the source if the reader leaves', async () => {
  let ended = false
  const source = chunks(() => {
    ended = true
  })
  let pieces = 0
  for await (const _ of proveComplete(HEAD, source)) if ((pieces += 1) === 2) break
  expect(ended).toBe(true)
})

test('returns no totals if the source breaks', async () => {
  const broken = async function* () {
    yield* chunks()
    throw new Error('broken')
  }
  const proved = proveComplete(HEAD, broken())
  for (let index = 0; index < 3; index += 1) expect((await proved.next()).done).toBe(false)
  await expect(proved.next()).rejects.toThrow('broken')
})
