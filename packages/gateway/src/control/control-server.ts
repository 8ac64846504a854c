import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { GatewayError, messageOf } from '@counterfoil/common'
import { connectTo, type ControlAnswer, controlRequestSchema, readLines } from './control-client.ts'

/** What a gateway offers to one connection. */
export interface ControlSession {
  /** The commands by name. A command checks its input, and throws a `GatewayError` for its faults. */
  readonly commands: Readonly<Record<string, (input: unknown) => Promise<unknown>>>
  /** Ends what the commands have begun. */
  readonly end: () => Promise<void>
}

/**
 * Listens on a Unix socket for commands of the same user. Replaces a socket file that a killed process left behind, and
 * never one on which a process listens. Creates the folder if it is missing.
 *
 * @param openSession makes the commands of a connection. The signal aborts when the caller leaves or the gateway stops.
 * @param onFailure gets the errors that are not a `GatewayError`, because the caller gets no details of them
 * @returns a function that waits for the running commands, ends the sessions, and removes the socket file
 * @throws {GatewayError} `control` if another gateway listens there, or the path is too long
 */
export async function openControlSocket(
  file: string,
  openSession: (leaving: AbortSignal) => ControlSession,
  onFailure: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const other = await connectTo(file)
  if (other) {
    other.destroy()
    throw new GatewayError('control', `Another gateway listens on ${file}. Stop it first`)
  }
  const running = new Set<Promise<void>>()
  const closing = new AbortController()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const serving = serveConnection(socket, openSession, closing.signal, onFailure)
    running.add(serving)
    void serving.finally(() => running.delete(serving))
  })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  rmSync(file, { force: true })
  try {
    await once(server.listen(file), 'listening')
    chmodSync(file, 0o600)
  } catch (cause) {
    server.close()
    const message = `Cannot listen on ${file}: ${messageOf(cause)}`
    throw new GatewayError('control', message, { cause })
  }
  return async () => {
    server.close()
    closing.abort()
    await Promise.all(running)
  }
}

/** Answers the commands of a connection, one after the other, until its caller leaves or the gateway stops. */
async function serveConnection(
  socket: Socket,
  openSession: (leaving: AbortSignal) => ControlSession,
  closing: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  socket.on('error', () => {})
  const left = new AbortController()
  const session = openSession(AbortSignal.any([closing, left.signal]))
  let answered = Promise.resolve()
  const answer = async (line: string, before: Promise<void>): Promise<void> => {
    await before
    const sent = await answerLine(line, session.commands, closing, onFailure)
    socket.write(`${JSON.stringify(sent)}\n`)
  }
  // All lines are read at once, because the caller may leave while a command waits.
  const read = async (): Promise<void> => {
    for await (const line of readLines(socket)) answered = answer(line, answered)
  }
  // The caller may leave in the middle of a line.
  const reading = read().catch(() => {})
  const stopping = closing.aborted || once(closing, 'abort', { signal: left.signal })
  await Promise.race([reading, stopping])
  left.abort()
  await answered
  await session.end().catch(onFailure)
  socket.destroySoon()
}

async function answerLine(
  line: string,
  commands: ControlSession['commands'],
  closing: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<ControlAnswer> {
  const fail = (message: string): ControlAnswer => ({ kind: 'failed', code: 'control', message })
  const { data: request } = controlRequestSchema.safeParse(parseJson(line))
  const command = request && commands[request.command]
  if (!command) {
    return fail(
      'The gateway does not understand this command. After an update, restart the gateway.',
    )
  }
  try {
    return { kind: 'done', value: (await command(request.input)) ?? null }
  } catch (error) {
    if (closing.aborted) return fail('The gateway ended this command, because it stops.')
    if (error instanceof GatewayError) {
      const { code, message, cause } = error
      return {
        kind: 'failed',
        code,
        message,
        ...(cause instanceof Error && { cause: cause.message }),
      }
    }
    onFailure(error)
    return fail('The gateway failed. Its log has the details')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
