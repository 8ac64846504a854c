import type { Socket } from 'node:net'
import { GatewayError } from '@counterfoil/common'
import { CONTROL_VERSION, connectTo, controlAnswerSchema, readLines } from './control-protocol.ts'

/** A command that runs in a gateway. */
export interface GatewayCommand {
  send(message: unknown): void
  /** Tells the command that no more messages follow. */
  end(): void
  /** Ends the command. */
  leave(): void
  /** Yields the command's messages, and returns its result. Throws `control` if the command or the connection fails. */
  readonly messages: AsyncGenerator<unknown, unknown>
}

/**
 * Starts a command of the gateway that listens on a control socket. The gateway ends the command if this process ends.
 *
 * @returns nothing if no gateway listens
 */
export async function startCommand(
  file: string,
  command: string,
  input?: unknown,
): Promise<GatewayCommand | undefined> {
  const socket = await connectTo(file)
  if (socket === undefined) return undefined
  // Without this listener, an error after the answer would end the process.
  socket.on('error', () => {})
  const write = (line: unknown): void => void socket.write(`${JSON.stringify(line)}\n`)
  write({ version: CONTROL_VERSION, command, input })
  return {
    send: write,
    end: () => void socket.end(),
    leave: () => void socket.destroy(),
    messages: readAnswers(socket),
  }
}

/**
 * Runs a command of the gateway that listens on a control socket, and returns its result.
 *
 * @returns nothing if no gateway listens
 * @throws `control` if the command or the connection fails, or if the answer does not follow the protocol
 */
export async function askGateway(
  file: string,
  command: string,
  input?: unknown,
): Promise<{ readonly result: unknown } | undefined> {
  const running = await startCommand(file, command, input)
  if (running === undefined) return undefined
  for (;;) {
    const next = await running.messages.next()
    if (next.done) return { result: next.value }
  }
}

async function* readAnswers(socket: Socket): AsyncGenerator<unknown, unknown> {
  try {
    for await (const line of readLines(socket)) {
      const answer = controlAnswerSchema.parse(JSON.parse(line))
      if (answer.kind === 'result') return answer.result
      if (answer.kind === 'failed') throw new GatewayError('control', answer.faults.join('\n'))
      yield answer.message
    }
    throw new Error('the connection ended')
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('control', `The gateway gave no answer: ${reason}`, { cause })
  } finally {
    socket.destroy()
  }
}
