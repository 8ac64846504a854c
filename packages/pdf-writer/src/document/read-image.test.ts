import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { png } from '../../test/kit/png.ts'
import { readImage } from './read-image.ts'

test('keeps the pixels of a PNG as they are', () => {
  const { width, height, entries } = readImage(png(3, 2, { color: 2 }))
  expect([width, height]).toEqual([3, 2])
  expect(entries).toContain('/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode')
  expect(readImage(png(3, 2, { color: 0 })).entries).toContain('/ColorSpace/DeviceGray')
})

test('reads the size and the colors of a JPEG', () => {
  const frame = (values: number) => Buffer.from([0xff, 0xc2, 0, 11, 8, 0, 2, 0, 3, values, 0, 0, 0])
  const start = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0])
  const { width, height, entries } = readImage(Buffer.concat([start, frame(3)]))
  expect([width, height]).toEqual([3, 2])
  expect(entries).toContain('/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode')
  expect(() => readImage(Buffer.concat([start, frame(4)]))).toThrow('a JPEG in RGB or gray')
})

test.each([
  ['with transparency', png(3, 2, { color: 6 }), 'a PNG without transparency and interlacing'],
  ['with interlacing', png(3, 2, { interlace: 1 }), 'a PNG without transparency and interlacing'],
  ['of too few pixels', png(3, 2, { data: deflateSync(Buffer.alloc(5)) }), 'a complete PNG'],
  ['of broken pixels', png(3, 2, { data: Buffer.from('x') }), 'a complete PNG'],
  ['of too many pixels', png(5000, 2), 'at most 4000 pixels a side'],
  ['without pixels', png(0, 2), 'at most 4000 pixels a side'],
  ['that is cut', png(3, 2).subarray(0, 20), 'a complete PNG'],
  ['of another format', Buffer.from('GIF89a and more bytes'), 'expected a PNG or a JPEG'],
  ['of no bytes', Buffer.alloc(0), 'expected a PNG or a JPEG'],
])('refuses a picture %s', (_name, bytes, message) => {
  expect(() => readImage(bytes)).toThrow(message)
})
