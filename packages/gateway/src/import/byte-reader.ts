/** Reads bytes that come in chunks: several readers one after the other take what is theirs. */
export interface ByteReader {
  /** How many bytes were taken. */
  readonly position: () => number
  /** Takes the bytes that come next, however many; nothing at the end. */
  readonly take: () => Promise<Buffer | undefined>
  /** Takes so many bytes, or those that are left. */
  readonly takeBytes: (count: number) => Promise<Buffer>
  /** Gives back bytes that were taken last. */
  readonly giveBack: (bytes: Buffer) => void
}

/** Creates a reader of chunks. */
export function createByteReader(chunks: AsyncIterable<Buffer>): ByteReader {
  const source = chunks[Symbol.asyncIterator]()
  let left: Buffer | undefined
  let position = 0
  const take = async (): Promise<Buffer | undefined> => {
    const bytes = left
    left = undefined
    if (bytes !== undefined && bytes.length > 0) {
      position += bytes.length
      return bytes
    }
    const next = await source.next()
    if (next.done) return undefined
    position += next.value.length
    return next.value
  }
  const giveBack = (bytes: Buffer): void => {
    left = bytes
    position -= bytes.length
  }
  const takeBytes = async (count: number): Promise<Buffer> => {
    const pieces: Buffer[] = []
    for (let missing = count; missing > 0; ) {
      const bytes = await take()
      if (bytes === undefined) break
      pieces.push(bytes.subarray(0, missing))
      if (bytes.length > missing) giveBack(bytes.subarray(missing))
      missing -= Math.min(missing, bytes.length)
    }
    return Buffer.concat(pieces)
  }
  return { position: () => position, take, takeBytes, giveBack }
}
