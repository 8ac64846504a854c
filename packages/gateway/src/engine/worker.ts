import { flushCompileCache } from 'node:module'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { drainPending, Session, type StreamChunk } from 'chdb'
import type { EngineRole } from './access.ts'
import type { Command, Opening, Reply } from './worker-session.ts'

// The thread of `WorkerSession`. It plans and reads queries, because that would block the thread that handles requests.
parentPort?.on('message', ({ port, directory, connectionArgs }: Opening) => {
  try {
    serve(new Session(directory, { connectionArgs: [...connectionArgs] }), port)
    port.postMessage(DONE)
  } catch (error) {
    port.postMessage(failed(error))
  }
})

// The thread lives as long as the process. It writes its part of the cache that `main.ts` switches on.
setTimeout(flushCompileCache, 5_000).unref()

const DONE: Reply = { kind: 'done' }

/** Sends one reply to each command of a port. */
function serve(session: Session, port: MessagePort): void {
  let chunks: AsyncIterator<StreamChunk> | undefined
  let role: EngineRole | undefined
  const take = async (wanted: EngineRole): Promise<void> => {
    if (role === wanted) return
    await session.queryBindAsync(`SET ROLE ${wanted}`, {})
    role = wanted
  }
  const run = async (command: Command): Promise<Reply> => {
    if (command.kind === 'next') {
      return chunks === undefined ? DONE : replyOf(await chunks.next())
    }
    if (command.kind === 'plan') {
      const { sql, parameters, format } = command
      await take(command.role)
      chunks = session.queryStreamBind(sql, parameters, { format })[Symbol.asyncIterator]()
    } else if (command.kind === 'execute') {
      await take('owner')
      await session.queryBindAsync(`SET log_comment = '${command.runId}'`, {})
      await session.queryBindAsync(command.sql, command.parameters)
    } else {
      await chunks?.return?.()
      chunks = undefined
    }
    if (command.kind === 'close') {
      await drainPending()
      session.close()
      await drainPending()
    }
    return DONE
  }
  port.on('message', async (command: Command) => {
    const reply = await run(command).catch(failed)
    port.postMessage(reply, reply.kind === 'chunk' ? [reply.bytes.buffer] : [])
    if (command.kind === 'close') port.close()
  })
}

function replyOf({ done, value }: IteratorResult<StreamChunk>): Reply {
  if (done === true) return DONE
  const { buffer, byteOffset, byteLength } = value.raw()
  // The engine gives each chunk its own memory, which moves to the other thread without a copy.
  if (!(buffer instanceof ArrayBuffer)) throw new TypeError('expected a chunk with its own memory')
  return {
    kind: 'chunk',
    bytes: new Uint8Array(buffer, byteOffset, byteLength),
    rows: value.numRows,
  }
}

function failed(error: unknown): Reply {
  return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
}
