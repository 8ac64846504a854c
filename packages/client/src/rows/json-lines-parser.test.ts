import { expect, test } from 'vitest'
import { readRows } from './read-rows.ts'
import type { Row } from './row.ts'

const FORM = { format: 'JSONL', columns: [{ title: 'Note', kind: 'text' }] } as const

async function* inChunks(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 16_384) yield bytes.subarray(at, at + 16_384)
}

async function read(bytes: Buffer) {
  const rows: Row[] = []
  for await (const row of readRows(inChunks(bytes), FORM)) rows.push(row)
  return rows
}

test('reads JSON lines that are longer than many chunks', async () => {
  for (const length of [60_000, 65_530, 150_000, 640_000]) {
    const rows = Array.from({ length: 5 }, (_, index) => ({ Note: 'x'.repeat(length + index) }))
    const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    expect(await read(bytes)).toEqual(rows)
    await expect(read(bytes.subarray(0, -1))).rejects.toMatchObject({ code: 'truncated' })
  }
})
