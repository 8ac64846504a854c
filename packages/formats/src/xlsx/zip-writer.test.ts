import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ZipWriter } from './zip-writer.ts'

async function archive(offset: number): Promise<Buffer> {
  const zip = new ZipWriter(offset)
  for (const [name, content] of [
    ['a.xml', 'first'],
    ['ü.xml', 'second'.repeat(500_000)],
  ] as const) {
    zip.begin(name)
    await zip.write(Buffer.from(content))
    await zip.end()
  }
  zip.close()
  return Buffer.from(zip.take())
}

test('puts offsets beyond 4 GB into fields of ZIP64, with the version 4.5', async () => {
  const offset = 5 * 2 ** 30
  const bytes = await archive(offset)
  const end = bytes.length - 22
  expect(bytes.readUInt32LE(end)).toBe(0x06_05_4b_50)
  expect(bytes.readUInt32LE(end + 16)).toBe(0xff_ff_ff_ff)
  const locator = end - 20
  expect(bytes.readUInt32LE(locator)).toBe(0x07_06_4b_50)
  const end64 = Number(bytes.readBigUInt64LE(locator + 8)) - offset
  expect(bytes.readUInt32LE(end64)).toBe(0x06_06_4b_50)
  expect(Number(bytes.readBigUInt64LE(end64 + 4))).toBe(locator - end64 - 12)
  expect(bytes.readBigUInt64LE(end64 + 32)).toBe(2n)
  const directory = Number(bytes.readBigUInt64LE(end64 + 48)) - offset
  expect(Number(bytes.readBigUInt64LE(end64 + 40))).toBe(end64 - directory)
  expect(bytes.readUInt32LE(directory)).toBe(0x02_01_4b_50)
  expect(bytes.readUInt16LE(directory + 6)).toBe(45)
  expect(bytes.readUInt32LE(directory + 42)).toBe(0xff_ff_ff_ff)
  const extra = directory + 46 + 'a.xml'.length
  expect([bytes.readUInt16LE(extra), bytes.readUInt16LE(extra + 2)]).toEqual([1, 8])
  expect(Number(bytes.readBigUInt64LE(extra + 4))).toBe(offset)
})

test('keeps to the fields of 4 bytes below 4 GB', async () => {
  const bytes = await archive(0)
  const end = bytes.length - 22
  const directory = bytes.readUInt32LE(end + 16)
  expect(bytes.readUInt32LE(end + 12)).toBe(end - directory)
  const second = directory + 46 + 'a.xml'.length
  const [deflatedBytes, length] = [bytes.readUInt32LE(second + 20), bytes.readUInt32LE(second + 24)]
  expect(bytes.readUInt16LE(second + 6)).toBe(20)
  expect(length).toBe(3_000_000)
  const local = bytes.readUInt32LE(second + 42)
  const data = local + 30 + Buffer.byteLength('ü.xml')
  expect(bytes.toString('utf8', local + 30, data)).toBe('ü.xml')
  const content = inflateRawSync(bytes.subarray(data, data + deflatedBytes))
  expect(content.toString()).toBe('second'.repeat(500_000))
  expect(bytes.readUInt32LE(data + deflatedBytes)).toBe(0x08_07_4b_50)
})
