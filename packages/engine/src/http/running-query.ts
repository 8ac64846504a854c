import { randomUUID } from 'node:crypto'
import { LIMITS } from '@counterfoil/common'
import type { ClickHouseServer } from './clickhouse-server.ts'
import type { EngineChunk } from '../engine/engine.ts'
import type { ResultReader } from './results.ts'

// The server cannot kill a query that it has not started yet, so the gateway tries again.
const KILL_AGAIN_MS = 100

/** A query of the gateway, from its place in the engine to its end on the server. */
export class RunningQuery {
  readonly id = randomUUID()
  readonly #connection = new AbortController()
  readonly #ended = Promise.withResolvers<void>()
  readonly #onEnd: () => void
  /** The server that has the query, while it has the query. */
  #server: ClickHouseServer | undefined
  #reader: ResultReader | undefined
  #timers: readonly NodeJS.Timeout[] | undefined
  #isOver = false

  /** @param onEnd called once, when the query has ended */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** Its abort closes the connection to the server. */
  get signal(): AbortSignal {
    return this.#connection.signal
  }

  /** Whether the query is to end, or has ended. */
  get isStopped(): boolean {
    return this.#timers !== undefined || this.#isOver
  }

  /** Records the server that gets the query now, or that no server has it. */
  sendTo(server: ClickHouseServer | undefined): void {
    this.#server = server
  }

  /** Sets the reader of the result. If the query is to end, nobody gets the result. */
  attach(reader: ResultReader): void {
    this.#reader = reader
    if (this.isStopped) void reader.discard()
  }

  /** Reads the next chunk, or `undefined` at the end. */
  async read(): Promise<EngineChunk | undefined> {
    return await this.#reader?.next()
  }

  /** Kills the query if it runs. Resolves when the query has ended. */
  async stop(): Promise<void> {
    const isRunning = this.#reader ? !this.#reader.isOver : this.#server !== undefined
    if (!isRunning) return this.#end()
    this.#kill()
    if (this.#reader) {
      // The server cannot end a query whose result nobody takes.
      await this.#reader.discard()
      this.#end()
    }
    await this.#ended.promise
  }

  #kill(): void {
    if (this.#timers || this.#isOver) return
    const kill = (): void => {
      const signal = AbortSignal.timeout(LIMITS.serverKillWaitMs)
      this.#server?.kill(this.id, signal).catch(() => {})
    }
    const giveUp = (): void => this.#connection.abort()
    this.#timers = [setInterval(kill, KILL_AGAIN_MS), setTimeout(giveUp, LIMITS.serverKillWaitMs)]
    kill()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const timer of this.#timers ?? []) clearTimeout(timer)
    this.#onEnd()
    this.#ended.resolve()
  }
}
