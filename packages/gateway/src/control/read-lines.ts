import type { Socket } from 'node:net'

/**
 * Yields the complete lines that arrive on a connection. Drops an incomplete last line. The connection stays open.
 *
 * @throws if a line is longer than `bytesMax`
 */
export async function* readLines(
  socket: Socket,
  bytesMax = Number.POSITIVE_INFINITY,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let text = ''
  const chunks: AsyncIterable<Uint8Array> = socket.iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split('\n')
    if (lines.some((line) => line.length > bytesMax)) {
      throw new Error(`expected lines of at most ${bytesMax} characters`)
    }
    text = lines.pop() ?? ''
    yield* lines
  }
}
