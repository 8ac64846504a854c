import { once } from 'node:events'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { EngineChunk, EngineQuery } from './engine.ts'

/** What a worker thread is told to open. */
export interface Opening {
  readonly directory: string
  readonly connectionArgs: readonly string[]
  /** Takes the session's commands. */
  readonly port: MessagePort
}

/** What a session is told. It answers each command with one reply. */
export type Command =
  /** Plans a query and reads its first chunk. */
  | ({ readonly kind: 'begin' } & Pick<EngineQuery, 'sql' | 'parameters' | 'format' | 'role'>)
  /** Reads the next chunk. */
  | { readonly kind: 'next' }
  /** Leaves the query. */
  | { readonly kind: 'end' }
  | ({ readonly kind: 'execute' } & Pick<EngineQuery, 'sql' | 'parameters'>)
  | { readonly kind: 'close' }

/** What a session answers. */
export type Reply =
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array<ArrayBuffer>; readonly rows: number }
  /** A command was carried out, or a query has no more chunks. */
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * The threads of this process, by number. They live as long as the process: when a thread that has used the engine
 * ends, the sessions of the others break.
 */
const workers: Worker[] = []

/** A session of the engine on a worker thread. It carries out one command at a time. */
export class WorkerSession {
  readonly #port: MessagePort
  #isBusy = false

  private constructor(port: MessagePort) {
    this.#port = port
  }

  /** Opens a session on a thread, which starts with its first session. No query may run meanwhile. */
  static async open(thread: number, opening: Omit<Opening, 'port'>): Promise<WorkerSession> {
    const worker = (workers[thread] ??= startWorker())
    const { port1, port2 } = new MessageChannel()
    const session = new WorkerSession(port2)
    const opened = session.#reply()
    worker.postMessage({ ...opening, port: port1 } satisfies Opening, [port1])
    await opened
    return session
  }

  /** Resolves with the chunk that was read; with none when the query has ended, or the command reads nothing. */
  async send(command: Command): Promise<EngineChunk | undefined> {
    if (this.#isBusy) throw new Error('expected one command at a time')
    this.#isBusy = true
    try {
      const reply = this.#reply()
      this.#port.postMessage(command, [])
      return await reply
    } finally {
      this.#isBusy = false
    }
  }

  async #reply(): Promise<EngineChunk | undefined> {
    const [reply]: Reply[] = await once(this.#port, 'message')
    if (reply?.kind === 'failed') throw new Error(reply.message)
    return reply?.kind === 'chunk' ? reply : undefined
  }
}

function startWorker(): Worker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { execArgv: [] })
  worker.unref()
  return worker
}
