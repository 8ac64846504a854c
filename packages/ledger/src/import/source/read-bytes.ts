import { createReadStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { GatewayError } from '@counterfoil/common'

export type OnRead = (bytes: number) => void

/** The limit of a header row, and of what is read of a JSON file to find its members. */
export const HEAD_BYTES_MAX = 1024 * 1024

const CHUNK_BYTES = 1024 * 1024
const UTF_16: ReadonlyMap<string, string> = new Map([
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
])
const UNPACKERS = {
  gz: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  zst: () => createZstdDecompress({ chunkSize: CHUNK_BYTES }),
} as const

/** Returns the size of a file in bytes. Throws if it is missing, or not a file. */
export function sizeOf(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) throw new GatewayError('ledger', `${path}: expected a file`)
  return stats.size
}

/** The compression that the name of a file shows. */
export function compressionOf(path: string): keyof typeof UNPACKERS | undefined {
  const [, packed] = /\.(gz|zst)$/i.exec(path.toLowerCase()) ?? []
  return packed === 'gz' || packed === 'zst' ? packed : undefined
}

/** Yields the text of a file in UTF-8: unpacked, decoded, and without a byte order mark. */
export async function* readText8(
  path: string,
  encoding: string,
  onRead: OnRead = () => {},
): AsyncGenerator<Buffer, void> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let isFirst = true
  for await (const bytes of readBytes(path, onRead)) {
    if (isFirst) decoder = decoderOf(bytes, encoding)
    const start = isFirst && bytes.toString('hex', 0, 3) === 'efbbbf' ? 3 : 0
    isFirst = false
    try {
      yield decoder ? Buffer.from(decoder.decode(bytes, { stream: true })) : bytes.subarray(start)
    } catch (cause) {
      throw new GatewayError('ledger', `${path}: expected text in ${encoding}`, { cause })
    }
  }
}

/** Reads the start of a text in UTF-8, as {@link readText8} yields it. */
export async function readStart(path: string, encoding: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const bytes of readText8(path, encoding)) {
    pieces.push(bytes)
    length += bytes.length
    if (length >= HEAD_BYTES_MAX) break
  }
  return Buffer.concat(pieces).subarray(0, HEAD_BYTES_MAX)
}

export async function* readBytes(
  path: string,
  onRead: OnRead = () => {},
): AsyncGenerator<Buffer, void> {
  const compression = compressionOf(path)
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const unpacker = compression && UNPACKERS[compression]()
  // An error of the file becomes an error of the stream that is read.
  const content = unpacker ? pipeline(file, unpacker, () => {}) : file
  try {
    for await (const chunk of content) {
      onRead(file.bytesRead)
      yield chunk
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const failure = `cannot read the file${compression ? ` as .${compression}` : ''}`
    throw new GatewayError('ledger', `${path}: ${failure}: ${reason}`, { cause })
  } finally {
    file.destroy()
  }
  // Node ends at the first frame, and a file may have several.
  if (compression === 'zst' && unpacker && unpacker.bytesWritten < sizeOf(path)) {
    const advice = 'Unpack it, and import the unpacked file'
    throw new GatewayError('ledger', `${path}: the file has several parts. ${advice}.`)
  }
}

/** The decoder of a text, or `undefined` if its bytes are UTF-8 already. */
function decoderOf(start: Buffer, encoding: string): InstanceType<typeof TextDecoder> | undefined {
  const marked = UTF_16.get(start.toString('hex', 0, 2))
  const label = marked ?? new TextDecoder(encoding).encoding
  return label === 'utf-8' ? undefined : new TextDecoder(label, { fatal: true })
}
