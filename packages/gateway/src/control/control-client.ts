import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import * as z from 'zod'
import { codeOf, GatewayError, isErrorCode, messageOf } from '@counterfoil/common'

/**
 * The version of the control protocol. A connection carries lines of JSON: requests, and in the same order an answer to
 * each. When the caller closes the connection, the gateway ends what its commands have begun.
 */
const CONTROL_VERSION = 3

/** A request to a running gateway. The command checks its input. */
export const controlRequestSchema = z.strictObject({
  version: z.literal(CONTROL_VERSION),
  command: z.string(),
  input: z.unknown().optional(),
})

const controlAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), value: z.unknown() }),
  z.object({
    kind: z.literal('failed'),
    code: z.string().refine(isErrorCode),
    message: z.string(),
    cause: z.string().optional(),
  }),
])

/** A line from the gateway: the value of a command, or its error. */
export type ControlAnswer = z.infer<typeof controlAnswerSchema>

/** A connection to a running gateway. */
export interface GatewayConnection {
  /**
   * Runs a command after those that were asked before.
   *
   * @throws {GatewayError} the command's error, or `control` if the connection ends before the answer
   */
  readonly ask: (command: string, input?: unknown) => Promise<unknown>
  /** Waits until the gateway has ended what the commands began. */
  close(): Promise<void>
}

/** Connects to the gateway that listens on a control socket. Returns nothing if no gateway listens. */
export async function connectToGateway(file: string): Promise<GatewayConnection | undefined> {
  const socket = await connectTo(file)
  if (!socket) return undefined
  const lines = readLines(socket)
  return {
    ask: async (command, input) => {
      socket.write(`${JSON.stringify({ version: CONTROL_VERSION, command, input })}\n`)
      const { done, value } = await lines.next().catch(() => ({ done: true, value: undefined }))
      if (done) throw new GatewayError('control', 'The gateway ended the connection')
      const { data: answer } = controlAnswerSchema.safeParse(JSON.parse(String(value)))
      if (answer?.kind === 'done') return answer.value
      if (!answer) throw new GatewayError('control', 'The gateway has another version. Restart it')
      const cause = answer.cause === undefined ? undefined : new Error(answer.cause)
      throw new GatewayError(answer.code, answer.message, { cause })
    },
    close: async () => {
      socket.end()
      await lines.next().catch(() => {})
      socket.destroy()
    },
  }
}

/** Runs one command of a gateway, and returns its value. Returns `undefined` if no gateway listens. */
export async function askGateway(file: string, command: string, input?: unknown): Promise<unknown> {
  const connection = await connectToGateway(file)
  return await connection?.ask(command, input).finally(() => connection.close())
}

/** Yields the complete lines that arrive on a connection. The connection stays open. */
export async function* readLines(socket: Socket): AsyncGenerator<string, void> {
  let text = ''
  const chunks: AsyncIterable<string> = socket
    .setEncoding('utf8')
    .iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    const lines = (text + chunk).split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}

/** The maximum length of a Unix socket's path, in bytes: `sun_path` without its final zero. */
const PATH_BYTES_MAX = process.platform === 'darwin' ? 103 : 107

/**
 * Connects to a socket file.
 *
 * @returns nothing if no process listens: there is no file, or a killed process left it behind
 * @throws {GatewayError} `control` if the path is too long, or this user may not use the socket
 */
export async function connectTo(file: string): Promise<Socket | undefined> {
  const bytes = Buffer.byteLength(file)
  if (bytes > PATH_BYTES_MAX) {
    const limit = `A Unix socket's path has at most ${PATH_BYTES_MAX} bytes here, and ${file} has ${bytes}`
    throw new GatewayError('control', `${limit}. Move dataDir to a shorter path`)
  }
  const socket = connect(file)
  try {
    await once(socket, 'connect')
    // Without this listener, an error after the last answer would end the process.
    return socket.on('error', () => {})
  } catch (cause) {
    if (['ECONNREFUSED', 'ENOENT'].includes(codeOf(cause) ?? '')) return undefined
    const message = `Cannot connect to the gateway: ${messageOf(cause)}`
    throw new GatewayError('control', message, { cause })
  }
}
