import { createReadStream, createWriteStream, statSync, symlinkSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { GatewayError } from '../errors.ts'
import { createByteReader } from './byte-reader.ts'
import { type Compression, unpack } from './unpack.ts'

/** A file that is imported. */
export interface SourceFile {
  /** As it was named. */
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
/** What a Parquet file begins with. */
const PARQUET_ID = Buffer.from('PAR1')

/** Tells by a file's name how it is to be read. Throws `ledger` where the name does not say, or there is no file. */
export function findSourceFile(path: string): SourceFile {
  const [name = '', packed] = path.toLowerCase().split(/\.(gz|zst)$/)
  const format = FORMATS.get(extname(name))
  if (format === undefined) {
    const expected =
      'expected a file named *.csv, *.jsonl, *.ndjson or *.parquet, each also *.gz or *.zst'
    throw new GatewayError('ledger', `${path}: ${expected}`)
  }
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new GatewayError('ledger', `${path}: expected a file`)
  const compression = packed === 'gz' || packed === 'zst' ? packed : undefined
  return { path, format, compression, bytes: found.size }
}

/** What is in a file, unpacked; tells meanwhile how many bytes of the file were read by now. */
export async function* readSource(
  { path, compression }: SourceFile,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer, void> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  try {
    const unpacked: AsyncIterable<Buffer> =
      compression === undefined ? file : unpack[compression](createByteReader(file))
    for await (const chunk of unpacked) {
      onRead(file.bytesRead)
      yield chunk
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const expected = `expected a file that can be read${compression ? ` and unpacked as .${compression}` : ''}`
    throw new GatewayError('ledger', `${path}: ${expected}: ${reason}`, { cause })
  } finally {
    file.destroy()
  }
}

/** Makes a Parquet file's bytes, unpacked, readable at another path. */
export async function placeSource(source: SourceFile, path: string): Promise<void> {
  if (source.compression === undefined) symlinkSync(resolve(source.path), path)
  else await pipeline(parquetOf(source), createWriteStream(path, { mode: 0o600 }))
}

/** A packed Parquet file, unpacked: a small file that is none could fill the disk. */
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
