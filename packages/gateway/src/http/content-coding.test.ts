import { randomBytes } from 'node:crypto'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import type { ReportStream } from '../outcome/outcome.ts'
import { chooseCoding, compressBody, type ContentCoding } from './content-coding.ts'

const CODINGS: readonly ContentCoding[] = ['zstd', 'br', 'gzip']

test.each([
  [undefined, undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.5, identity;q=0.8', undefined],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0, gzip', 'gzip'],
  ['zstd;q=0, br;q=0, *', 'gzip'],
  ['deflate, compress', undefined],
  ['gzip;q=2, br;q=x', undefined],
  [',,;q=1,gzip;;', undefined],
])('for Accept-Encoding %j, the coding is %s', (header, coding) => {
  expect(chooseCoding(header === undefined ? {} : { 'accept-encoding': header })).toBe(coding)
})

test.each([
  ['no-transform', undefined],
  ['no-cache, No-Transform', undefined],
  ['no-cache', 'gzip'],
  ['', 'gzip'],
])('for Cache-Control %j, the coding is %s', (header, coding) => {
  const headers = { 'accept-encoding': 'gzip', 'cache-control': header }
  expect(chooseCoding(headers)).toBe(coding)
})

test.each(CODINGS)(
  '%s: the rows of a piece arrive before the next piece is there',
  async (coding) => {
    const second = Promise.withResolvers<void>()
    async function* body(): ReportStream['body'] {
      yield Buffer.from('"a"\r\n"1"\r\n')
      await second.promise
      yield Buffer.from('"2"\r\n')
      return { rows: 2, replaced: 0, sha256: '' }
    }
    const compressed = compressBody(body(), coding)
    const { value } = await compressed.next()
    const decoder = {
      gzip: zlib.createGunzip,
      br: zlib.createBrotliDecompress,
      zstd: zlib.createZstdDecompress,
    }
    const decompressed = decoder[coding]()
    const first = new Promise((resolve) => decompressed.once('data', resolve))
    decompressed.write(value)
    expect(String(await first)).toBe('"a"\r\n"1"\r\n')
    second.resolve()
    await compressed.return({ rows: 0, replaced: 0, sha256: '' })
  },
)

test('a report that breaks breaks its compressed body too', async () => {
  async function* body(): ReportStream['body'] {
    yield Buffer.from('"1"\r\n')
    throw new Error('the engine broke')
  }
  const read = async (): Promise<void> => {
    for await (const _ of compressBody(body(), 'gzip'));
  }
  await expect(read()).rejects.toThrow('the engine broke')
})

test('a reader that leaves ends the report, and the report is at most some pieces ahead', async () => {
  let ended = false
  let pieces = 0
  async function* body(): ReportStream['body'] {
    try {
      for (;;) {
        pieces += 1
        yield randomBytes(100_000)
      }
    } finally {
      ended = true
    }
  }
  const compressed = compressBody(body(), 'gzip')
  await compressed.next()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(pieces).toBeLessThan(10)
  await compressed.return({ rows: 0, replaced: 0, sha256: '' })
  expect(ended).toBe(true)
})
