import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createByteReader } from './byte-reader.ts'
import { findSourceFile, placeSource, readSource } from './source-file.ts'
import { unpack } from './unpack.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function textOf(bytes: AsyncGenerator<Buffer>): Promise<string> {
  return Buffer.concat(await Readable.from(bytes).toArray()).toString()
}

async function unpacked(name: string, ...parts: readonly Uint8Array[]): Promise<string> {
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat(parts))
  return await textOf(readSource(findSourceFile(path)))
}

// Compressed, this text spans several chunks of the file, and ends in the middle of one.
const LONG = Array.from({ length: 400_000 }, (_, at) => Math.sin(at)).join('\n')
const NAMED = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 2, 0, 1, 2]),
  Buffer.from('name\0comment\0\0\0', 'latin1'),
  gzipSync('named').subarray(10),
])
const SKIPPABLE = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
const [gz, zst] = [gzipSync('first'), zstdCompressSync('first')]

test('unpacks every member and every frame of a file', async () => {
  const longs = [gzipSync(LONG, { level: 1 }), zstdCompressSync(LONG)] as const
  const all = `first${LONG}first`
  expect(await unpacked('a.csv.gz', gz, longs[0], gz)).toBe(all)
  expect(await unpacked('a.csv.zst', zst, longs[1], zst)).toBe(all)
  expect(await unpacked('b.csv.gz', NAMED, gz, Buffer.alloc(2 ** 20 + 1))).toBe('namedfirst')
  expect(await unpacked('b.csv.zst', SKIPPABLE, zst, SKIPPABLE, zst, SKIPPABLE)).toBe('firstfirst')
})

test('yields many small parts as few large pieces', { tags: ['long'] }, async () => {
  const path = join(folder, 'small.csv.gz')
  writeFileSync(path, Buffer.concat(Array.from({ length: 5_000 }, () => gzipSync('a'.repeat(100)))))
  const sizes: number[] = []
  for await (const { length } of readSource(findSourceFile(path))) sizes.push(length)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(500_000)
  expect(sizes).toHaveLength(2)
})

test('finds the end of a part at any chunk boundary', async () => {
  const unpackBytes = async (kind: keyof typeof unpack, parts: readonly Buffer[]) => {
    const bytes = Array.from(Buffer.concat(parts), (byte) => Buffer.of(byte))
    return await textOf(unpack[kind](createByteReader(Readable.from(bytes))))
  }
  expect(await unpackBytes('gz', [gz, NAMED, gz, Buffer.alloc(2)])).toBe('firstnamedfirst')
  expect(await unpackBytes('zst', [SKIPPABLE, zst, zst])).toBe('firstfirst')
})

test.each<[name: string, parts: readonly Uint8Array[], fault: string]>([
  ['a.csv.gz', [gz, Buffer.from('x')], `incorrect header check after byte ${gz.length}`],
  ['a.csv.gz', [gz, Buffer.alloc(12, 'x')], `incorrect header check after byte ${gz.length}`],
  ['a.csv.gz', [gz, Buffer.alloc(2 ** 20), gz], `incorrect header check after byte ${gz.length}`],
  ['a.csv.gz', [gz, gz.subarray(0, -1)], `unexpected end of file after byte ${gz.length * 2 - 1}`],
  [
    'a.csv.gz',
    [gz.subarray(0, -8), Buffer.alloc(1), gz.subarray(-7), gz],
    `incorrect data check after byte ${gz.length - 8}`,
  ],
  ['a.csv.zst', [zst, Buffer.from('x')], `Unknown frame descriptor after byte ${zst.length}`],
  ['a.csv.zst', [zst, zst.subarray(0, -1)], 'unexpected end of file after byte'],
  ['a.csv.zst', [zst, SKIPPABLE.subarray(0, -1)], 'unexpected end of file after byte'],
  ['a.csv.zst', [zst, Buffer.alloc(4)], `Unknown frame descriptor after byte ${zst.length}`],
])('refuses a file with an incomplete part: %s', async (name, parts, fault) => {
  const expected = `${name}: cannot read the file as .${name.split('.')[2]}: ${fault}`
  await expect(unpacked(name, ...parts)).rejects.toThrow(expected)
})

test('refuses a compressed file that is not Parquet before it unpacks the file', async () => {
  const path = join(folder, 'zeros.parquet.zst')
  writeFileSync(path, zstdCompressSync(Buffer.alloc(2 ** 24)))
  const placed = join(folder, 'placed.parquet')
  await expect(placeSource(findSourceFile(path), placed)).rejects.toThrow('expected a Parquet file')
  expect(statSync(placed).size).toBe(0)
})

test('places the file that a symbolic link names, wherever the link lies', async () => {
  mkdirSync(join(folder, 'months'))
  writeFileSync(join(folder, 'months/10.parquet'), 'PAR1')
  const link = join(folder, 'newest.parquet')
  symlinkSync('months/10.parquet', link)
  mkdirSync(join(folder, 'elsewhere'))
  const placed = join(folder, 'elsewhere/placed.parquet')
  await placeSource(findSourceFile(link), placed)
  expect(lstatSync(placed).isFile()).toBe(true)
  expect(readFileSync(placed, 'utf8')).toBe('PAR1')
})

test("skips a header's name of one chunk, and refuses an endless name", async () => {
  const header = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3])
  const endless = Buffer.alloc(2 ** 17, 'x')
  await expect(unpacked('name.csv.gz', header, endless)).rejects.toThrow('a header of more than')
  await expect(unpacked('name.csv.gz', header, Buffer.from('x'))).rejects.toThrow(
    'unexpected end of file after byte 11',
  )
})
