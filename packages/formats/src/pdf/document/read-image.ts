import Kit from 'pdfkit'

/** A picture that a document can show. */
export interface PdfImage {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

const SIDE_MAX = 4000

/** Reads a PNG or a JPEG. Throws an error that says what is expected. */
export function readImage(bytes: Uint8Array): PdfImage {
  const { width, height, image: png } = openImage(bytes)
  // pdfkit decodes these in the background, where an error would end the process.
  const isDecoded = png?.hasAlphaChannel === true || png?.interlaceMethod === 1
  if (isDecoded || Object.keys(png?.transparency ?? {}).length > 0) {
    throw new Error('expected a PNG without transparency and interlacing, or a JPEG')
  }
  if (!(width >= 1 && height >= 1 && width <= SIDE_MAX && height <= SIDE_MAX)) {
    throw new Error(`expected at most ${SIDE_MAX} pixels a side`)
  }
  return { width, height, bytes }
}

function openImage(bytes: Uint8Array): ReturnType<Kit['openImage']> {
  try {
    return new Kit({ autoFirstPage: false, font: null }).openImage(bytes)
  } catch (cause) {
    throw new Error('expected a complete PNG or JPEG', { cause })
  }
}
