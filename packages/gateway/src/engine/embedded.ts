import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { drainPending, Session } from 'chdb'
import { resolveLibchdb } from 'chdb/libchdb'
import manifest from 'chdb/package.json' with { type: 'json' }
import { settingsClause, STREAMING_SETTINGS } from '../clickhouse/settings.ts'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { lockFolder } from '../store/lock-folder.ts'
import { writeAccess } from './access.ts'
import { engineFailure } from './engine-failure.ts'
import type { Engine, EngineChunk, EngineQuery } from './engine.ts'
import { type QueueLimits, SessionPool } from './session-pool.ts'
import { Turns } from './turns.ts'
import { WorkerSession } from './worker-session.ts'
import { createZoneFiles } from './zone-files.ts'

/** How the embedded engine runs. */
export interface EmbeddedEngineOptions extends QueueLimits {
  /** The folder of the data. One process at a time can open it. */
  readonly directory: string
  /** How many queries run in parallel. libuv's pool must have more threads than that (`threads.ts`). */
  readonly sessions: number
  /** The time limit of one query. */
  readonly querySeconds: number
  /** The memory limit of one query. */
  readonly queryBytesMax: number
  /** The memory limit of all queries together. */
  readonly engineBytesMax: number
  /** The tables that the role `report` may read. */
  readonly reportTables: readonly string[]
}

// Each worker plans one query at a time. More workers than cores gain nothing.
const WORKERS = 2

// A stream occupies one of libuv's threads. These threads are left for files, look-ups and keys.
const THREADS_TO_SPARE = 8

// The text of a query holds its scope, and a scope has as many ids as fit into a request's body. The engine's default
// is 256 KiB.
const QUERY_TEXT_BYTES_MAX = 4 * LIMITS.bodyBytesMax

// The engine cannot kill a query that its worker has not started yet, so the gateway tries again.
const KILL_AGAIN_MS = 100

const RINSES_MAX = 100
const RINSE_AGAIN_MS = 100

/** Identifies the engine's library. The text differs for another version and for another build. */
export function engineFingerprint(): string {
  const { path } = resolveLibchdb()
  const { size, mtimeMs } = statSync(path)
  return [manifest.version, path, size, mtimeMs].join(' ')
}

/**
 * Opens the engine in this process on a directory, and creates the directory if it is missing. Queries run on worker
 * threads, so that planning a query does not block the thread that handles requests
 * (docs/decisions/0029-the-engine-on-threads-of-its-own.md).
 *
 * @throws {GatewayError} `config` if libuv's pool is too small, `ledger` if another process has the ledger open
 */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<Engine> {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  if (threads < options.sessions + THREADS_TO_SPARE) {
    const least = options.sessions + THREADS_TO_SPARE
    const expected = `expected UV_THREADPOOL_SIZE of at least ${least}`
    throw new GatewayError('config', `${expected} for ${options.sessions} sessions, got ${threads}`)
  }
  const { directory } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // The engine has its own lock, but prints an error on stderr if the lock is taken.
  const unlock = lockFolder(directory)
  if (unlock === undefined) throw inUse(directory)
  try {
    // This thread opens the first session: while it uses the engine's library, the library stays loaded.
    const args = connectionArgs(options)
    const control = openSession(directory, args)
    const sessions: WorkerSession[] = []
    // One after the other: the library's list of sessions is not safe for several threads.
    for (let index = 0; index < options.sessions; index += 1) {
      const opening = { directory, connectionArgs: args }
      sessions.push(await WorkerSession.open(index % WORKERS, opening))
    }
    return new EmbeddedEngine(options, control, sessions, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

class EmbeddedEngine implements Engine {
  readonly loadTimeZone: Engine['loadTimeZone']
  readonly #sessions: readonly WorkerSession[]
  /** Runs no reports, so that it can always kill a query. */
  readonly #control: Session
  readonly #pool: SessionPool<WorkerSession>
  readonly #limits: EngineQuery['settings']
  readonly #failure: (error: unknown) => GatewayError
  readonly #running = new Map<string, Running>()
  readonly #turns = new Turns(availableParallelism(), () => performance.now())
  readonly #unlock: () => void

  constructor(
    options: EmbeddedEngineOptions,
    control: Session,
    sessions: readonly WorkerSession[],
    unlock: () => void,
  ) {
    this.loadTimeZone = createZoneFiles(join(options.directory, 'time-zones'))
    this.#unlock = unlock
    this.#control = control
    this.#sessions = sessions
    this.#pool = new SessionPool(sessions, options)
    this.#failure = (error) => engineFailure(error, options)
    this.#limits = {
      max_execution_time: options.querySeconds,
      max_memory_usage: options.queryBytesMax,
    }
  }

  async stream(
    query: EngineQuery,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<EngineChunk, void>> {
    const session = await this.#pool.acquire(signal)
    const runId = randomUUID()
    const end = this.#begin(runId, session)
    const turn = this.#turns.begin(query.flow ?? '')
    let waiting = false
    const finish = async (isComplete: boolean): Promise<void> => {
      signal.removeEventListener('abort', onAbort)
      turn.end()
      await end(isComplete)
    }
    const onAbort = (): void => {
      this.#kill(runId)
      // No reader has started the loop, so no reader will leave it.
      if (waiting) void finish(false)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const settings = { ...STREAMING_SETTINGS, ...this.#limits, ...query.settings }
      const sql = `${query.sql}\n${settingsClause({ ...settings, log_comment: runId })}`
      const { parameters, format, role } = query
      const begin = { kind: 'begin', sql, parameters, format, role } as const
      const first = await turn.read(0, () => session.send(begin))
      signal.throwIfAborted()
      waiting = true
      return readAhead(first, (bytes) => turn.read(bytes, () => session.send({ kind: 'next' })), {
        failure: this.#failure,
        begin: () => {
          waiting = false
        },
        kill: () => this.#kill(runId),
        finish,
        signal,
      })
    } catch (error) {
      await finish(false)
      signal.throwIfAborted()
      throw this.#failure(error)
    }
  }

  async execute(sql: string, parameters: EngineQuery['parameters'] = {}): Promise<void> {
    const session = await this.#pool.acquire(new AbortController().signal)
    const end = this.#begin(randomUUID(), session)
    let done = false
    try {
      await session.send({ kind: 'execute', sql, parameters })
      done = true
    } catch (error) {
      throw this.#failure(error)
    } finally {
      await end(done)
    }
  }

  async close(): Promise<void> {
    this.#pool.close()
    for (const runId of this.#running.keys()) this.#kill(runId)
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
    await drainPending()
    for (const session of this.#sessions) await session.send({ kind: 'close' })
    this.#control.close()
    await drainPending()
    this.#unlock()
  }

  /** Records that a query runs. The returned function records its end and releases the session. */
  #begin(runId: string, session: WorkerSession): (isComplete: boolean) => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const run: Running = { ended: promise }
    this.#running.set(runId, run)
    let over = false
    return async (isComplete) => {
      if (over) return
      over = true
      if (isComplete || (await rinse(session))) this.#pool.release(session)
      clearInterval(run.killing)
      this.#running.delete(runId)
      resolve()
    }
  }

  /** Kills a query, and tries again until the query has ended. */
  #kill(runId: string): void {
    const run = this.#running.get(runId)
    if (!run || run.killing) return
    const sql = "KILL QUERY WHERE Settings['log_comment'] = {runId:String} ASYNC"
    const kill = (): void => void this.#control.queryBindAsync(sql, { runId }).catch(() => {})
    run.killing = setInterval(kill, KILL_AGAIN_MS)
    kill()
  }
}

/** A running query. */
interface Running {
  readonly ended: Promise<void>
  /** The timer that kills the query again and again. */
  killing?: NodeJS.Timeout
}

interface Reading {
  /** Converts an error of the engine to a `GatewayError`. */
  readonly failure: (error: unknown) => GatewayError
  /** Records that a reader has started. */
  readonly begin: () => void
  /** Kills the query in the engine. */
  readonly kill: () => void
  /** Releases the query's session and its turn. */
  readonly finish: (isComplete: boolean) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Yields chunks and always requests the next one ahead: the engine computes it while the gateway hashes and sends the
 * last one.
 */
async function* readAhead(
  first: EngineChunk | undefined,
  read: (bytes: number) => Promise<EngineChunk | undefined>,
  reading: Reading,
): AsyncGenerator<EngineChunk, void> {
  // Do not read a killed query: another query may already use its session.
  reading.signal.throwIfAborted()
  reading.begin()
  let next: Promise<EngineChunk | undefined> | undefined
  let chunk = first
  let bytes = 0
  try {
    while (chunk !== undefined) {
      bytes += chunk.bytes.byteLength
      next = read(bytes)
      // If the reader leaves between two chunks, nothing else handles this error.
      next.catch(() => {})
      yield chunk
      chunk = await next
      next = undefined
    }
  } catch (error) {
    reading.signal.throwIfAborted()
    throw reading.failure(error)
  } finally {
    if (next !== undefined) {
      reading.kill()
      await next.catch(() => {})
    }
    await reading.finish(chunk === undefined)
  }
}

/**
 * Cleans the session of a failed query. Such a session still holds memory, and bytes that would appear before the next
 * result. A small query whose result is not read removes both. The small query can fail while other queries take all
 * memory, so it is retried.
 *
 * @returns whether the session can be used again
 */
async function rinse(session: WorkerSession): Promise<boolean> {
  for (let tries = 0; tries < RINSES_MAX; tries += 1) {
    try {
      await session.send({ kind: 'end' })
      await session.send({ kind: 'execute', sql: 'SELECT 1', parameters: {} })
      return true
    } catch {
      await sleep(RINSE_AGAIN_MS)
    }
  }
  return false
}

function connectionArgs(options: EmbeddedEngineOptions): readonly string[] {
  const { directory, reportTables, engineBytesMax } = options
  return [
    writeAccess(join(directory, 'access'), reportTables),
    `--max_server_memory_usage=${engineBytesMax}`,
    `--max_query_size=${QUERY_TEXT_BYTES_MAX}`,
  ]
}

function openSession(directory: string, args: readonly string[]): Session {
  try {
    return new Session(directory, { connectionArgs: [...args] })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('ledger', `Cannot open the ledger in ${directory}: ${reason}`, { cause })
  }
}

/** Names the process that has the ledger open, from the engine's own `status` file. */
function inUse(directory: string): GatewayError {
  const owner = /^PID: (\d+)$/m.exec(readStatus(directory))?.[1]
  const who = owner === undefined ? 'Another process' : `Another process (PID ${owner})`
  return new GatewayError('ledger', `${who} has the ledger in ${directory} open. Stop it first`)
}

function readStatus(directory: string): string {
  try {
    return readFileSync(join(directory, 'status'), 'utf8')
  } catch {
    return ''
  }
}
