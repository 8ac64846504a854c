import { expect, test } from 'vitest'
import { png } from '../../../test/kit/png.ts'
import { readImage } from './read-image.ts'

test('reads the size of a PNG and of a JPEG', () => {
  expect(readImage(png(3, 2, { color: 2 }))).toMatchObject({ width: 3, height: 2 })
  const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, 0, 2, 0, 3, 3, 0, 0, 0])
  const start = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0])
  expect(readImage(Buffer.concat([start, frame]))).toMatchObject({ width: 3, height: 2 })
})

test.each([
  ['with transparency', png(3, 2, { color: 6 }), 'a PNG without transparency and interlacing'],
  ['with interlacing', png(3, 2, { interlace: 1 }), 'a PNG without transparency and interlacing'],
  ['of too many pixels', png(5000, 2), 'at most 4000 pixels a side'],
  ['without pixels', png(0, 2), 'at most 4000 pixels a side'],
  ['that is cut', png(3, 2).subarray(0, 20), 'a complete PNG or JPEG'],
  ['of another format', Buffer.from('GIF89a and more bytes'), 'a complete PNG or JPEG'],
  ['of no bytes', Buffer.alloc(0), 'a complete PNG or JPEG'],
])('refuses a picture %s', (_name, bytes, message) => {
  expect(() => readImage(bytes)).toThrow(message)
})
