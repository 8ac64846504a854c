import type { Socket } from 'node:net'

const LINE_FEED = 10

/**
 * Reads the first line of a connection.
 *
 * @throws if the connection ends before the line is complete, or the line is longer than `bytesMax`
 */
export async function readLine(socket: Socket, bytesMax: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  let bytes = 0
  const take = (chunk: Buffer): void => {
    const end = chunk.indexOf(LINE_FEED)
    chunks.push(end === -1 ? chunk : chunk.subarray(0, end))
    bytes += chunk.length
    if (bytes > bytesMax) reject(new Error(`expected a line of at most ${bytesMax} bytes`))
    else if (end !== -1) resolve(Buffer.concat(chunks).toString('utf8'))
  }
  const fail = (error: Error): void => reject(error)
  const end = (): void => reject(new Error('the connection ended before its line was complete'))
  socket.on('data', take).once('error', fail).once('end', end).once('close', end)
  try {
    return await promise
  } finally {
    socket.off('data', take).off('error', fail).off('end', end).off('close', end)
  }
}
