import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { GatewayError, LIMITS } from '@counterfoil/common'
import {
  connectTo,
  type ControlAnswer,
  CONTROL_VERSION,
  controlRequestSchema,
  readLines,
} from './control-protocol.ts'

/** How a command talks to the process that asked for it. */
export interface CommandRun {
  /** Aborts when the gateway stops. */
  readonly signal: AbortSignal
  readonly send: (message: unknown) => void
  /** The process's messages. They end when it sends no more, and when it has ended. */
  readonly messages: AsyncIterable<unknown>
}

/** The commands of a gateway by name. A command checks its input, and throws a `GatewayError` for its faults. */
export type ControlCommands = ReadonlyMap<
  string,
  (input: unknown, run: CommandRun) => Promise<unknown>
>

/** An open control socket. */
export interface ControlSocket {
  /** Accepts no more commands, waits for running commands, and removes the socket file. */
  close(): Promise<void>
}

/**
 * Listens on a Unix socket (mode 0600) for commands of the same user. The function replaces a socket file that a killed
 * process left behind. It never replaces a socket on which a process listens. It creates the folder if it is missing.
 *
 * @param onFailure gets the errors that are not a `GatewayError`, because the caller gets no details of them
 * @throws `control` if another gateway listens there, or the path is too long
 */
export async function openControlSocket(
  file: string,
  commands: ControlCommands,
  onFailure: (error: unknown) => void,
): Promise<ControlSocket> {
  const other = await connectTo(file)
  if (other) {
    other.destroy()
    throw new GatewayError('control', `Another gateway listens on ${file}. Stop it first`)
  }
  const running = new Set<Promise<void>>()
  const closing = new AbortController()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const answer = (line: string, run: CommandRun) => answerLine(line, run, commands, onFailure)
    const serving = serveConnection(socket, answer, closing.signal)
    running.add(serving)
    void serving.finally(() => running.delete(serving))
  })
  server.maxConnections = LIMITS.controlConnectionsMax
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // The socket gets its name after its permissions are set, so another user can never connect.
  const folder = mkdtempSync(join(dirname(file), '.c-'))
  const bound = join(folder, 's')
  try {
    server.listen(bound)
    await once(server, 'listening')
    chmodSync(bound, 0o600)
    renameSync(bound, file)
  } catch (cause) {
    server.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('control', `Cannot listen on ${file}: ${reason}`, { cause })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const { ino } = lstatSync(file)
  return {
    close: async () => {
      server.close()
      closing.abort()
      await Promise.all(running)
      // The file may be the socket of another process by now.
      if (lstatSync(file, { throwIfNoEntry: false })?.ino === ino) rmSync(file, { force: true })
    },
  }
}

/** Reads one command from a connection, answers it, and ends the connection. Never rejects. */
async function serveConnection(
  socket: Socket,
  answer: (line: string, run: CommandRun) => Promise<ControlAnswer>,
  closing: AbortSignal,
): Promise<void> {
  const destroy = (): void => void socket.destroy()
  // The caller may leave while its command runs.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  const late = setTimeout(destroy, LIMITS.controlLineTimeoutMs)
  closing.addEventListener('abort', destroy)
  try {
    const lines = readLines(socket)
    const line = await lines.next()
    if (line.done) return
    closing.removeEventListener('abort', destroy)
    clearTimeout(late)
    const send = (text: ControlAnswer): boolean => socket.write(`${JSON.stringify(text)}\n`)
    const text = await answer(line.value, {
      signal: closing,
      send: (message) => void send({ version: CONTROL_VERSION, kind: 'message', message }),
      messages: parsed(lines),
    })
    socket.setTimeout(LIMITS.controlLineTimeoutMs, destroy)
    send(text)
    socket.end(destroy)
    await closed
  } catch {
    // No complete line arrived, so there is nothing to answer.
  } finally {
    clearTimeout(late)
    closing.removeEventListener('abort', destroy)
    destroy()
  }
}

async function answerLine(
  line: string,
  run: CommandRun,
  commands: ControlCommands,
  onFailure: (error: unknown) => void,
): Promise<ControlAnswer> {
  const fail = (...faults: readonly string[]): ControlAnswer => {
    return { version: CONTROL_VERSION, kind: 'failed', faults: [...faults] }
  }
  const request = controlRequestSchema.safeParse(parseJson(line))
  if (!request.success) {
    const example = JSON.stringify({ version: CONTROL_VERSION, command: 'reload' })
    return fail(
      `The gateway does not understand this request. Expected a line such as ${example}. ` +
        'After an update, restart the gateway.',
    )
  }
  const command = commands.get(request.data.command)
  if (command === undefined) {
    return fail(`Unknown command. Expected one of ${[...commands.keys()].join(', ')}`)
  }
  try {
    const result = (await command(request.data.input, run)) ?? null
    return { version: CONTROL_VERSION, kind: 'result', result }
  } catch (error) {
    if (run.signal.aborted) return fail('The gateway ended this command, because it stops.')
    if (error instanceof GatewayError) return fail(...error.message.split('\n'))
    onFailure(error)
    return fail('The gateway failed. Its log has the details')
  }
}

async function* parsed(lines: AsyncIterable<string>): AsyncGenerator<unknown, void> {
  for await (const line of lines) yield parseJson(line)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
