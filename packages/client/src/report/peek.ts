/** The beginning of a body, and the complete body. */
export interface Peeked {
  readonly beginning: Uint8Array
  /** All chunks, also those of the beginning. */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Reads at least `bytesMin` bytes of a body, or all of a shorter body. */
export async function peek(body: AsyncIterable<Uint8Array>, bytesMin: number): Promise<Peeked> {
  const source = body[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  let bytes = 0
  let isEnded = false
  while (bytes < bytesMin && !isEnded) {
    const { done, value } = await source.next()
    if (!done) read.push(value)
    bytes += done ? 0 : value.length
    isEnded = done ?? false
  }
  const beginning = new Uint8Array(bytes)
  let offset = 0
  for (const chunk of read) {
    beginning.set(chunk, offset)
    offset += chunk.length
  }
  return { beginning, chunks: rejoin(read, source) }
}

async function* rejoin(
  read: readonly Uint8Array[],
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* read
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  } finally {
    await source.return?.()
  }
}
