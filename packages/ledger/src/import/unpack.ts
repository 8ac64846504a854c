import { once } from 'node:events'
import { crc32, createInflateRaw, createZstdDecompress, type InflateRaw } from 'node:zlib'
import type { ByteReader } from './byte-reader.ts'

/** The compression of a file. */
export type Compression = 'gz' | 'zst'

// Each part takes memory for one chunk, and a file may have thousands of small parts.
const CHUNK_BYTES = 128 * 1024
/** The limit of a file name or a comment in a header. */
const HEADER_TEXT_BYTES_MAX = 64 * 1024

/**
 * Unpacks a file of any number of parts: members of gzip (RFC 1952), frames of Zstandard (RFC 8878). Node itself
 * ignores data that follows a part and that it cannot read, and every frame after the first.
 *
 * @throws if a part is incomplete or invalid; zeros may follow the last member
 */
export const unpack: Readonly<Record<Compression, (from: ByteReader) => AsyncGenerator<Buffer>>> = {
  gz: unpackGzip,
  zst: unpackZstd,
}

async function* unpackZstd(from: ByteReader): AsyncGenerator<Buffer> {
  do {
    yield* unpackOne(from, createZstdDecompress({ chunkSize: CHUNK_BYTES }))
  } while (await hasMore(from))
}

async function* unpackGzip(from: ByteReader): AsyncGenerator<Buffer> {
  for (let isFirst = true; isFirst || !(await isPadding(from)); isFirst = false) {
    await skipHeader(from)
    let [sum, length] = [0, 0]
    for await (const bytes of unpackOne(from, createInflateRaw({ chunkSize: CHUNK_BYTES }))) {
      sum = crc32(bytes, sum)
      length = (length + bytes.length) % 2 ** 32
      yield bytes
    }
    const trailer = await takeAll(from, 8)
    const isSame = trailer.readUInt32LE(0) === sum && trailer.readUInt32LE(4) === length
    if (!isSame) throw unreadable('incorrect data check', from.position() - 8)
  }
}

/**
 * Unpacks one part, and gives back the bytes after it. The byte of an error is the part's first byte or a later one.
 */
async function* unpackOne(
  from: ByteReader,
  part: InflateRaw | ReturnType<typeof createZstdDecompress>,
): AsyncGenerator<Buffer> {
  const closed = once(part, 'close').catch(() => {})
  const feed = async (): Promise<void> => {
    for (let bytes = await from.take(); bytes !== undefined; bytes = await from.take()) {
      const before = part.bytesWritten
      await Promise.race([new Promise((resolve) => part.write(bytes, resolve)), closed])
      // If the part ends within these bytes, it does not take the rest.
      const taken = part.bytesWritten - before
      if (taken < bytes.length) {
        from.giveBack(bytes.subarray(taken))
        return
      }
    }
    part.end()
  }
  const begun = from.position()
  const fed = feed()
  fed.catch((error: unknown) => part.destroy(error instanceof Error ? error : undefined))
  try {
    yield* part
    await fed
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw unreadable(reason, begun + part.bytesWritten, cause)
  }
}

function unreadable(reason: string, position: number, cause?: unknown): Error {
  return new Error(`${reason} after byte ${position}`, { cause })
}

const ID_AND_DEFLATE = Buffer.from([0x1f, 0x8b, 8])
const FLAGS = { headerSum: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 }

async function skipHeader(from: ByteReader): Promise<void> {
  const begun = from.position()
  const id = await from.takeBytes(ID_AND_DEFLATE.length)
  if (id.length > 0 && !id.equals(ID_AND_DEFLATE)) throw unreadable('incorrect header check', begun)
  const flags = (await takeAll(from, 7)).readUInt8(0)
  if (flags & FLAGS.reserved) throw unreadable('unknown header flags', begun)
  if (flags & FLAGS.extra) await takeAll(from, (await takeAll(from, 2)).readUInt16LE(0))
  if (flags & FLAGS.name) await skipText(from)
  if (flags & FLAGS.comment) await skipText(from)
  if (flags & FLAGS.headerSum) await takeAll(from, 2)
}

async function skipText(from: ByteReader): Promise<void> {
  const begun = from.position()
  while (from.position() - begun <= HEADER_TEXT_BYTES_MAX) {
    const bytes = await from.take()
    if (bytes === undefined) throw unreadable('unexpected end of file', from.position())
    const end = bytes.indexOf(0)
    if (end >= 0) {
      from.giveBack(bytes.subarray(end + 1))
      return
    }
  }
  throw unreadable(`a header of more than ${HEADER_TEXT_BYTES_MAX} bytes`, begun)
}

async function hasMore(from: ByteReader): Promise<boolean> {
  const bytes = await from.take()
  if (bytes !== undefined) from.giveBack(bytes)
  return bytes !== undefined
}

/** Whether only zeros are left. Tapes and block devices pad files with zeros. */
async function isPadding(from: ByteReader): Promise<boolean> {
  const begun = from.position()
  let bytes = await from.take()
  if (bytes !== undefined && bytes[0] !== 0) {
    from.giveBack(bytes)
    return false
  }
  while (bytes?.every((byte) => byte === 0)) bytes = await from.take()
  if (bytes !== undefined) throw unreadable('incorrect header check', begun)
  return true
}

async function takeAll(from: ByteReader, count: number): Promise<Buffer> {
  const bytes = await from.takeBytes(count)
  if (bytes.length < count) throw unreadable('unexpected end of file', from.position())
  return bytes
}
