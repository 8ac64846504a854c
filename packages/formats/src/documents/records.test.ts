import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { completeRecords, ownText, readRecords } from './records.ts'

/** Chunks with the bytes of pieces. Their reader frees the memory of a chunk. */
async function* of(...pieces: readonly Uint8Array[]) {
  for (const piece of pieces) yield { bytes: Uint8Array.from(piece), rows: 0 }
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

test('reads records that are longer than a slice, and frees the memory of chunks', async () => {
  const long = 'x'.repeat(600_000)
  const records = [['a'], [long], ['b', long], ['c']]
  const bytes = Buffer.from(records.map((fields) => `${fields.join('\x1f')}\x1e`).join(''))
  for (const cut of [0, 1, 2, 300_000, 600_002, 600_003, 700_000, bytes.length - 1]) {
    expect(await read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(records)
  }
  const chunk = { bytes: Uint8Array.from(bytes), rows: 4 }
  const chunks = (async function* () {
    yield chunk
  })()
  for await (const _ of completeRecords(chunks)) expect(chunk.bytes).toHaveLength(bytes.length)
  expect(chunk.bytes).toHaveLength(0)
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
