/** Reads bytes that arrive in chunks. Several readers can use it one after the other. */
export interface ByteReader {
  /** How many bytes were taken so far. */
  readonly position: () => number
  /** Takes the next bytes, as many as there are. Returns `undefined` at the end. */
  readonly take: () => Promise<Buffer | undefined>
  /** Takes `count` bytes, or fewer at the end. */
  readonly takeBytes: (count: number) => Promise<Buffer>
  /** Gives back the last of the taken bytes. */
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
