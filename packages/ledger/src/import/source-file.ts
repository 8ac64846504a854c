import {
  constants,
  copyFileSync,
  createReadStream,
  createWriteStream,
  linkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { GatewayError } from '@counterfoil/common'
import { createByteReader } from './byte-reader.ts'
import { type Compression, unpack } from './unpack.ts'

/** A file to import. */
export interface SourceFile {
  /** The path from the command line. */
  readonly path: string
  readonly format: 'csv' | 'json-lines' | 'parquet'
  readonly compression: Compression | undefined
  readonly bytes: number
}

const FORMATS: ReadonlyMap<string, SourceFile['format']> = new Map([
  ['.csv', 'csv'],
  ['.jsonl', 'json-lines'],
  ['.ndjson', 'json-lines'],
  ['.parquet', 'parquet'],
])
const CHUNK_BYTES = 1024 * 1024
/** The least size of a piece, unless it is a file's last one. */
const PIECE_BYTES_MIN = 256 * 1024
/** The first bytes of a Parquet file. */
const PARQUET_ID = Buffer.from('PAR1')

/**
 * Finds a file's format by its name.
 *
 * @throws {GatewayError} `ledger` if the name does not show the format, or if the file is missing
 */
export function findSourceFile(path: string): SourceFile {
  const [name = '', packed] = path.toLowerCase().split(/\.(gz|zst)$/)
  const format = FORMATS.get(extname(name))
  if (format === undefined) {
    const expected =
      'expected a file named *.csv, *.jsonl, *.ndjson or *.parquet, each also *.gz or *.zst'
    throw new GatewayError('ledger', `${path}: ${expected}`)
  }
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) throw new GatewayError('ledger', `${path}: expected a file`)
  const compression = packed === 'gz' || packed === 'zst' ? packed : undefined
  return { path, format, compression, bytes: stats.size }
}

/**
 * Yields a file's content, unpacked.
 *
 * @param onRead called with the bytes of the file that were read so far
 */
export async function* readSource(
  { path, compression }: SourceFile,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer, void> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  try {
    const unpacked: AsyncIterable<Buffer> =
      compression === undefined ? file : unpack[compression](createByteReader(file))
    for await (const chunk of inLargePieces(unpacked)) {
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
}

/** Joins small chunks: a reader looks at the start of an incomplete row again with each chunk. */
async function* inLargePieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    bytes += chunk.length
    if (bytes < PIECE_BYTES_MIN) continue
    yield waiting.length === 1 ? chunk : Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}

/** Makes the unpacked bytes of a Parquet file readable at another path. */
export async function placeSource(source: SourceFile, path: string): Promise<void> {
  if (source.compression === undefined) linkOrCopy(source.path, path)
  else await pipeline(parquetOf(source), createWriteStream(path, { mode: 0o600 }))
}

// A symbolic link would not do: a running gateway may not see the folder of the file. A link to a symbolic link is one.
function linkOrCopy(source: string, path: string): void {
  try {
    linkSync(realpathSync(source), path)
  } catch {
    copyFileSync(source, path, constants.COPYFILE_FICLONE)
  }
}

/** Unpacks a Parquet file. It checks the first bytes, because a small file of another kind could fill the disk. */
async function* parquetOf(source: SourceFile): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const bytes of readSource(source)) {
    if (isFirst && !bytes.subarray(0, PARQUET_ID.length).equals(PARQUET_ID)) {
      throw new GatewayError('ledger', `${source.path}: expected a Parquet file`)
    }
    isFirst = false
    yield bytes
  }
}
