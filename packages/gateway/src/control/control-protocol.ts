import { once } from 'node:events'
import { lstatSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import * as z from 'zod'
import { GatewayError } from '@counterfoil/common'

/**
 * The version of the control protocol. A connection carries lines of JSON: a request, then messages in both directions
 * if the command has any, then the gateway's answer. If the connection closes before the answer, the gateway ends the
 * command.
 */
export const CONTROL_VERSION = 2

/** A request to a running gateway. */
export const controlRequestSchema = z.strictObject({
  version: z.literal(CONTROL_VERSION),
  command: z.string(),
  /** The command's input, which the command itself checks. */
  input: z.unknown().optional(),
})

const version = z.literal(CONTROL_VERSION)

/** A line from the gateway: a message of the command, its result, or the reasons why it failed. */
export const controlAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ version, kind: z.literal('message'), message: z.unknown() }),
  z.object({ version, kind: z.literal('result'), result: z.unknown() }),
  z.object({ version, kind: z.literal('failed'), faults: z.array(z.string()) }),
])

/** See {@link controlAnswerSchema}. */
export type ControlAnswer = z.infer<typeof controlAnswerSchema>

/** Yields the complete lines that arrive on a connection. Drops an incomplete last line. The connection stays open. */
export async function* readLines(socket: Socket): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let text = ''
  const chunks: AsyncIterable<Uint8Array> = socket.iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}

/** The maximum length of a Unix socket's path, in bytes: `sun_path` without its final zero. */
const PATH_BYTES_MAX = process.platform === 'darwin' ? 103 : 107

/** Throws `control` if the operating system would refuse or truncate a path. */
function checkSocketPath(file: string): void {
  const bytes = Buffer.byteLength(file)
  if (bytes <= PATH_BYTES_MAX) return
  const limit = `A Unix socket's path has at most ${PATH_BYTES_MAX} bytes here, and ${file} has ${bytes}`
  throw new GatewayError('control', `${limit}. Move dataDir to a shorter path`)
}

/**
 * Connects to the gateway that listens on a socket file.
 *
 * @returns nothing if no process listens: there is no file, or a killed process left it behind
 * @throws `control` if the file is not a socket, or this user may not use it
 */
export async function connectTo(file: string): Promise<Socket | undefined> {
  checkSocketPath(file)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isSocket()) {
    throw new GatewayError('control', `${file} is not a socket. Move it away`)
  }
  const socket = connect(file)
  try {
    await once(socket, 'connect')
    return socket
  } catch (cause) {
    socket.destroy()
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return undefined
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('control', `Cannot connect to the gateway: ${reason}`, { cause })
  }
}
