import { once } from 'node:events'
import { extname, join } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { EngineChunk, EngineQuery } from './engine.ts'

/** The message that opens a session on a worker thread. */
export interface Opening {
  readonly directory: string
  readonly connectionArgs: readonly string[]
  /** Carries the session's commands and replies. */
  readonly port: MessagePort
}

/** A command to a session. The session sends one reply to each. */
export type Command =
  /** Plans a query. From then on, its result does not change. */
  | ({ readonly kind: 'plan' } & Pick<EngineQuery, 'sql' | 'parameters' | 'format' | 'role'>)
  /** Reads the next chunk. */
  | { readonly kind: 'next' }
  /** Abandons the query. */
  | { readonly kind: 'end' }
  /** Runs a statement, which can be killed by its run id. */
  | ({ readonly kind: 'execute'; readonly runId: string } & Pick<EngineQuery, 'sql' | 'parameters'>)
  | { readonly kind: 'close' }

/** The reply to a command. */
export type Reply =
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array<ArrayBuffer>; readonly rows: number }
  /** The command is done, or the query has no more chunks. */
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * The worker threads of this process, by number. They live as long as the process: if a thread that has used the engine
 * ends, the sessions of the other threads break.
 */
const workers: Worker[] = []

/** A session of the engine on a worker thread. It runs one command at a time. */
export class WorkerSession {
  readonly #port: MessagePort
  #isBusy = false

  private constructor(port: MessagePort) {
    this.#port = port
  }

  /** Starts threads. They load their code while this thread does other work. */
  static startThreads(threads: Iterable<number>): void {
    for (const thread of threads) workers[thread] ??= startWorker()
  }

  /** Opens a session on a thread, and starts the thread with its first session. No query may run meanwhile. */
  static async open(thread: number, opening: Omit<Opening, 'port'>): Promise<WorkerSession> {
    const worker = (workers[thread] ??= startWorker())
    const { port1, port2 } = new MessageChannel()
    const session = new WorkerSession(port2)
    const opened = session.#reply()
    worker.postMessage({ ...opening, port: port1 } satisfies Opening, [port1])
    await opened
    return session
  }

  /**
   * Runs a command and resolves with the chunk that it read. Resolves with `undefined` if the query has ended, or if
   * the command reads nothing.
   */
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
  // The repository runs `worker.ts`, the published package `worker.js`.
  const file = join(import.meta.dirname, `worker${extname(import.meta.filename)}`)
  const worker = new Worker(file, { execArgv: [] })
  worker.unref()
  return worker
}
