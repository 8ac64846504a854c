import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib'
import { freeMemory } from '@counterfoil/common'
import type { ReportStream, ReportTotals } from '../outcome/outcome.ts'

const CHUNK_BYTES = 128 * 1024
// The compressor works on while this much waits for the reader.
const READ_AHEAD = { chunkSize: CHUNK_BYTES, readableHighWaterMark: 4 * CHUNK_BYTES }

/**
 * Creates the compressor of each content coding (RFC 9110, section 8.4.1). The levels keep up with a stream. Every
 * piece is flushed, so that its rows arrive without waiting for the next piece.
 */
const COMPRESSORS = {
  zstd: (): Transform => {
    const params = { [constants.ZSTD_c_compressionLevel]: 3 }
    return createZstdCompress({ ...READ_AHEAD, flush: constants.ZSTD_e_flush, params })
  },
  br: (): Transform => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 4 }
    return createBrotliCompress({ ...READ_AHEAD, flush: constants.BROTLI_OPERATION_FLUSH, params })
  },
  gzip: (): Transform => createGzip({ ...READ_AHEAD, flush: constants.Z_SYNC_FLUSH, level: 4 }),
}

export type ContentCoding = keyof typeof COMPRESSORS

const CODINGS: readonly ContentCoding[] = ['zstd', 'br', 'gzip']

/**
 * Chooses the coding of an answer by `Accept-Encoding` (RFC 9110, section 12.5.3). Without the header, the answer has
 * no coding, and neither with `Cache-Control: no-transform` (RFC 9111, section 5.2.1.6): a browser always accepts gzip
 * and shows only the decompressed bytes, whose digest is another.
 *
 * @returns the coding, or undefined for an answer without one
 */
export function chooseCoding(
  {
    'accept-encoding': acceptEncoding = '',
    'cache-control': cacheControl = '',
  }: IncomingHttpHeaders,
  codings = CODINGS,
): ContentCoding | undefined {
  const directives = cacheControl.toLowerCase().split(',')
  if (directives.some((directive) => directive.trim() === 'no-transform')) return undefined
  const weights = weightsOf(acceptEncoding)
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = codings.toSorted((one, other) => weightOf(other) - weightOf(one))
  if (best === undefined || weightOf(best) === 0) return undefined
  // A header that does not name `identity` accepts it, but prefers what it names.
  return weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}

/** Reads the weights of the codings in a header. A malformed weight counts as 0: the coding is not used. */
function weightsOf(acceptEncoding: string): ReadonlyMap<string, number> {
  return new Map(
    acceptEncoding.split(',').flatMap((element): readonly (readonly [string, number])[] => {
      const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase())
      const coding = name === 'x-gzip' ? 'gzip' : name
      if (coding === '') return []
      if (parameters.length === 0) return [[coding, 1]]
      const [, digits] =
        /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameters.join(';')) ?? []
      return [[coding, Number(digits ?? 0)]]
    }),
  )
}

/**
 * Compresses the body of a report, and frees its pieces. Reads one piece ahead. Returns the totals with the digest of
 * the compressed bytes: `Repr-Digest` covers a representation in its coding (RFC 9530, section 3).
 */
export async function* compressBody(
  body: ReportStream['body'],
  coding: ContentCoding,
): ReportStream['body'] {
  const compressor = COMPRESSORS[coding]()
  const fed = feed(compressor, body)
  fed.catch((error: Error) => compressor.destroy(error))
  const digest = createHash('sha256')
  try {
    for await (const chunk of compressor as AsyncIterable<Buffer>) {
      digest.update(chunk)
      // The compressor goes on writing in this memory, and the reply frees what it has sent.
      yield Uint8Array.from(chunk)
    }
    return { ...(await fed), sha256: digest.digest('base64') }
  } finally {
    await body.return({ rows: 0, replaced: 0, sha256: '' })
  }
}

/** Writes the pieces of a body to a compressor, and ends it. Returns the body's totals. */
async function feed(compressor: Transform, body: ReportStream['body']): Promise<ReportTotals> {
  let next = await body.next()
  while (!next.done) {
    const piece = next.value
    const ahead = body.next()
    ahead.catch(() => {})
    await new Promise<void>((resolve, reject) => {
      compressor.write(piece, (error) => (error ? reject(error) : resolve()))
    })
    freeMemory(piece)
    next = await ahead
  }
  compressor.end()
  return next.value
}
