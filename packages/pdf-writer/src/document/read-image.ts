import { inflateSync } from 'node:zlib'

/** A picture as a PDF holds it: the entries of its dictionary, and its bytes. */
export interface PdfImage {
  readonly width: number
  readonly height: number
  readonly entries: string
  readonly bytes: Uint8Array
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const SIDE_MAX = 4000
/** The color spaces of PNG that have no transparency, by their number: the name in PDF, and the values of a pixel. */
const PNG_COLORS: Readonly<Record<number, readonly [space: string, values: number]>> = {
  0: ['/DeviceGray', 1],
  2: ['/DeviceRGB', 3],
  3: ['', 1],
}
const JPEG_COLORS: Readonly<Record<number, string>> = { 1: '/DeviceGray', 3: '/DeviceRGB' }

/**
 * Reads a PNG or a JPEG. Its pixels stay compressed.
 *
 * @throws an Error that says what is expected
 */
export function readImage(bytes: Uint8Array): PdfImage {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const image = file.subarray(0, PNG.length).equals(PNG) ? readPng(file) : readJpeg(file)
  const { width, height } = image
  if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
    throw new Error(`expected at most ${SIDE_MAX} pixels a side`)
  }
  const size = `/Width ${width}/Height ${height}`
  return { ...image, entries: `/Type/XObject/Subtype/Image${size}${image.entries}` }
}

function readPng(file: Buffer): PdfImage {
  const chunks = new Map<string, Buffer[]>()
  for (let at = PNG.length; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    chunks.set(type, [...(chunks.get(type) ?? []), file.subarray(at + 8, at + 8 + length)])
    at += length + 12
  }
  const [head = Buffer.alloc(13)] = chunks.get('IHDR') ?? []
  if (head.length < 13) throw new Error('expected a complete PNG')
  const [width, height, depth] = [head.readUInt32BE(0), head.readUInt32BE(4), head.readUInt8(8)]
  const [space, values] = PNG_COLORS[head.readUInt8(9)] ?? []
  if (
    space === undefined ||
    values === undefined ||
    chunks.has('tRNS') ||
    head.readUInt8(12) !== 0
  ) {
    throw new Error('expected a PNG without transparency and interlacing, or a JPEG')
  }
  const bytes = Buffer.concat(chunks.get('IDAT') ?? [])
  const needed = height * (1 + Math.ceil((width * values * depth) / 8))
  if (width > SIDE_MAX || height > SIDE_MAX)
    throw new Error(`expected at most ${SIDE_MAX} pixels a side`)
  if (inflatedLength(bytes, needed) !== needed) throw new Error('expected a complete PNG')
  const [palette = Buffer.alloc(0)] = chunks.get('PLTE') ?? []
  const indexed = `[/Indexed/DeviceRGB ${palette.length / 3 - 1}<${palette.toString('hex')}>]`
  const predictor = `<</Predictor 15/Colors ${values}/BitsPerComponent ${depth}/Columns ${width}>>`
  const entries = `/ColorSpace${space === '' ? indexed : space}/BitsPerComponent ${depth}/Filter/FlateDecode/DecodeParms${predictor}`
  return { width, height, entries, bytes }
}

function inflatedLength(bytes: Uint8Array, lengthMax: number): number {
  try {
    return inflateSync(bytes, { maxOutputLength: lengthMax + 1 }).length
  } catch {
    return -1
  }
}

function readJpeg(file: Buffer): PdfImage {
  // A marker and the length of its segment. The frame has the size: baseline, extended or progressive.
  let at = file.length > 2 && file.readUInt16BE(0) === 0xffd8 ? 2 : file.length
  while (at + 10 <= file.length && file.readUInt8(at) === 0xff) {
    const marker = file.readUInt8(at + 1)
    if (marker >= 0xc0 && marker <= 0xc2) {
      const [height, width] = [file.readUInt16BE(at + 5), file.readUInt16BE(at + 7)]
      const space = JPEG_COLORS[file.readUInt8(at + 9)]
      if (space === undefined) throw new Error('expected a JPEG in RGB or gray')
      const entries = `/ColorSpace${space}/BitsPerComponent 8/Filter/DCTDecode`
      return { width, height, entries, bytes: file }
    }
    at += 2 + file.readUInt16BE(at + 2)
  }
  throw new Error('expected a PNG or a JPEG')
}
