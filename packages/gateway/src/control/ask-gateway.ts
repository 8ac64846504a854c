import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { type ControlAnswer, CONTROL_VERSION, controlAnswerSchema } from './control-protocol.ts'
import { readLine } from './read-line.ts'
import { connectTo } from './socket-file.ts'

/**
 * Sends a command to the gateway that listens on a control socket, and waits for its answer.
 *
 * @returns the answer, or nothing if no gateway listens
 * @throws `control` if the connection breaks or the answer does not follow the protocol
 */
export async function askGateway(
  file: string,
  command: string,
  input?: unknown,
): Promise<ControlAnswer | undefined> {
  const socket = await connectTo(file)
  if (socket === undefined) return undefined
  // Without this listener, an error after the answer would end the process.
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
