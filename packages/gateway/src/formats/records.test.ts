import { expect, test } from 'vitest'
import { readRecords } from './records.ts'

async function* of(...pieces: readonly Uint8Array[]) {
  for (const bytes of pieces) yield { bytes, rows: 0 }
}

async function read(...pieces: readonly Uint8Array[]) {
  const records: (readonly string[])[] = []
  for await (const some of readRecords(of(...pieces))) records.push(...some)
  return records
}

test('reads the fields of records, wherever the chunks are cut', async () => {
  const bytes = Buffer.from('a\x1fé漢😀\x1e\x1f\x1eline\nfeed\x1f\t\x1e')
  const expected = [
    ['a', 'é漢😀'],
    ['', ''],
    ['line\nfeed', '\t'],
  ]
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(expected)
  }
  expect(await read()).toEqual([])
})

test('a result that ends inside a record is refused', async () => {
  await expect(read(Buffer.from('a\x1fb\x1ea'))).rejects.toThrow('inside a record')
})
