import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ownText, readRecords } from './records.ts'

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

test('a copied field does not keep the memory of its chunk', async () => {
  const kept: string[] = []
  const bytes = Buffer.from(`${'name'.repeat(10)}\x1f${'x'.repeat(1_000_000)}\x1e`)
  const heapBefore = collected()
  for (let chunk = 0; chunk < 40; chunk += 1) {
    for await (const records of readRecords(of(bytes))) {
      for (const [name = ''] of records) kept.push(ownText(name))
    }
  }
  expect(collected() - heapBefore).toBeLessThan(10_000_000)
  expect(kept).toHaveLength(40)
})

/** Returns the used heap after a collection of garbage. */
function collected(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
