import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { type ControlAnswer, CONTROL_VERSION, controlAnswerSchema } from './control-protocol.ts'
import { readLine } from './read-line.ts'
import { connectTo } from './socket-file.ts'

/**
 * Sends a command to the gateway that listens on a control socket, and waits for its answer.
 *
 * @returns nothing where no gateway listens
 * @throws `control` when the connection breaks or the answer is not of this protocol
 */
export async function askGateway(
  file: string,
  command: string,
  input?: unknown,
): Promise<ControlAnswer | undefined> {
  const socket = await connectTo(file)
  if (socket === undefined) return undefined
  // A listener for the whole connection: without one, an error after the answer would end the process.
  socket.on('error', () => {})
  try {
    socket.write(`${JSON.stringify({ version: CONTROL_VERSION, command, input })}\n`)
    const line = await readLine(socket, LIMITS.controlLineBytesMax)
    return controlAnswerSchema.parse(JSON.parse(line))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('control', `The gateway gave no answer: ${reason}`, { cause })
  } finally {
    socket.destroy()
  }
}
