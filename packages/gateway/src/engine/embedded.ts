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
import type { Engine, EngineChunk, EngineQuery } from './engine.ts'
import { WorkerSession } from './worker-session.ts'
import { engineFailure } from './engine-failure.ts'
import { type QueueLimits, SessionPool } from './session-pool.ts'
import { Turns } from './turns.ts'
import { createZoneFiles } from './zone-files.ts'

/** How the embedded engine runs. */
export interface EmbeddedEngineOptions extends QueueLimits {
  /** Where the data is; one process at a time can open it. */
  readonly directory: string
  /** How many queries run side by side; libuv's pool must have more threads than that (`threads.ts`). */
  readonly sessions: number
  /** The longest that one query may run. */
  readonly querySeconds: number
  /** The most memory that one query may take. */
  readonly queryBytesMax: number
  /** The most memory that all queries together may take. */
  readonly engineBytesMax: number
  /** What the role `report` may read. */
  readonly reportTables: readonly string[]
}

// Each plans one query at a time. More of them than cores gain nothing.
const WORKERS = 2

// A stream sits on one of libuv's threads; these are left for everybody else (files, look-ups, keys).
const THREADS_TO_SPARE = 8

// A scope of as many ids as a request's body can hold stands in the query's text; the engine's own limit is 256 KiB.
const QUERY_TEXT_BYTES_MAX = 4 * LIMITS.bodyBytesMax

// A query that its worker has not begun yet is not there to be ended.
const KILL_AGAIN_MS = 100

const RINSES_MAX = 100
const RINSE_AGAIN_MS = 100

/** Describes the engine's library: another version, or another build of it, gives another text. */
export function engineFingerprint(): string {
  const { path } = resolveLibchdb()
  const { size, mtimeMs } = statSync(path)
  return [manifest.version, path, size, mtimeMs].join(' ')
}

/**
 * Opens the engine in this process on a directory, which it makes where there is none. Queries run on worker threads,
 * so that planning one does not stop the thread of requests (docs/decisions/0029-the-engine-on-threads-of-its-own.md).
 */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<Engine> {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  if (threads < options.sessions + THREADS_TO_SPARE) {
    const expected = `expected UV_THREADPOOL_SIZE of at least ${options.sessions + THREADS_TO_SPARE}`
    throw new GatewayError('config', `${expected} for ${options.sessions} sessions, got ${threads}`)
  }
  const { directory } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // The engine has a lock of its own, and prints an error on stderr where it finds it taken.
  const unlock = lockFolder(directory)
  if (unlock === undefined) throw inUse(directory)
  try {
    // The first one is opened here: while this thread has the engine's library, it stays loaded.
    const args = connectionArgs(options)
    const control = openSession(directory, args)
    const sessions: WorkerSession[] = []
    // One after the other: the library's list of sessions is not made for several threads.
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
  /** Never busy with a query, so that it can always end one. */
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
    const turn = this.#turns.begin()
    let waiting = false
    const finish = async (whole: boolean): Promise<void> => {
      signal.removeEventListener('abort', onAbort)
      turn.end()
      await end(whole)
    }
    const onAbort = (): void => {
      this.#kill(runId)
      // Nobody has begun to read, so nobody will leave the loop.
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

  /** Notes that a query runs; what it returns notes the end and hands the session back. */
  #begin(runId: string, session: WorkerSession): (whole: boolean) => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const run: Running = { ended: promise }
    this.#running.set(runId, run)
    let over = false
    return async (whole) => {
      if (over) return
      over = true
      if (whole || (await rinse(session))) this.#pool.release(session)
      clearInterval(run.killing)
      this.#running.delete(runId)
      resolve()
    }
  }

  /** Ends a query wherever it is, and tries again until it has ended. */
  #kill(runId: string): void {
    const run = this.#running.get(runId)
    if (!run || run.killing) return
    const sql = "KILL QUERY WHERE Settings['log_comment'] = {runId:String} ASYNC"
    const kill = (): void => void this.#control.queryBindAsync(sql, { runId }).catch(() => {})
    run.killing = setInterval(kill, KILL_AGAIN_MS)
    kill()
  }
}

/** A query that runs. */
interface Running {
  readonly ended: Promise<void>
  /** Ends the query, again and again. */
  killing?: NodeJS.Timeout
}

interface Reading {
  /** What the engine threw, as the gateway's own error. */
  readonly failure: (error: unknown) => GatewayError
  /** Somebody reads. */
  readonly begin: () => void
  /** Ends the query in the engine. */
  readonly kill: () => void
  /** Hands everything back. */
  readonly finish: (whole: boolean) => Promise<void>
  readonly signal: AbortSignal
}

/** Yields chunks, always with the next one under way: the engine works while the last one is hashed and sent. */
async function* readAhead(
  first: EngineChunk | undefined,
  read: (bytes: number) => Promise<EngineChunk | undefined>,
  reading: Reading,
): AsyncGenerator<EngineChunk, void> {
  // A query that was ended is none to read: its session may be somebody else's by now.
  reading.signal.throwIfAborted()
  reading.begin()
  let next: Promise<EngineChunk | undefined> | undefined
  let chunk = first
  let bytes = 0
  try {
    while (chunk !== undefined) {
      bytes += chunk.bytes.byteLength
      next = read(bytes)
      // Whoever leaves between two chunks is not here to hear of it.
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
 * A query that broke leaves its memory in its session, and bytes that would come out before the next result: a query
 * that nobody reads takes both along. It may fail while other queries take all memory, and is run again then.
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

/** Names the process that has the ledger open, as the engine's own file does. */
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
