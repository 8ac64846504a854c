import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { drainPending, Session } from 'chdb'
import { settingsClause, STREAMING_SETTINGS } from '../clickhouse/settings.ts'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { lockFolder } from '../store/lock-folder.ts'
import { type ReportColumns, writeAccess } from './access.ts'
import { closeStdin } from './close-stdin.ts'
import { engineFailure } from './engine-failure.ts'
import { engineFingerprint } from './engine-fingerprint.ts'
import {
  type Engine,
  type EngineChunk,
  type EngineQuery,
  probeWith,
  type Queries,
  readNumber,
} from './engine.ts'
import { type QueueLimits, SessionPool } from './session-pool.ts'
import { readAhead } from './read-ahead.ts'
import { rinse } from './rinse.ts'
import { Turns } from './turns.ts'
import { WorkerSession } from './worker-session.ts'
import { createZoneFiles } from './zone-files.ts'

/** How the embedded engine runs. */
export interface EmbeddedEngineOptions extends QueueLimits {
  /** The folder of the data. One process at a time can open it. */
  readonly directory: string
  /** How many queries run in parallel. libuv's pool must have more threads than that (`threads.ts`). */
  readonly sessions: number
  /** How many queries of an operator's long work run beside them. The default is 1. */
  readonly backgroundSessions?: number
  /** The time limit of one query. */
  readonly querySeconds: number
  /** The memory limit of one query. */
  readonly queryBytesMax: number
  /** The memory limit of all queries together. */
  readonly engineBytesMax: number
  /** The columns that the role `report` may read, by table. */
  readonly reportColumns: ReportColumns
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

// An operator's work waits for the work of another operator, however long that takes.
const BACKGROUND_QUEUE: QueueLimits = { queueLength: 1_000, queueWaitMs: 86_400_000 }

const MEMORY = "SELECT value FROM system.metrics WHERE metric = 'MemoryTracking'"

/**
 * Opens the engine in this process on a directory, and creates the directory if it is missing. Queries run on worker
 * threads, so that planning a query does not block the thread that handles requests
 * (docs/decisions/0029-the-engine-on-threads-of-its-own.md).
 *
 * @throws {GatewayError} `config` if libuv's pool is too small, `ledger` if another process has the ledger open
 */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<Engine> {
  const { directory, backgroundSessions = 1 } = options
  const count = options.sessions + backgroundSessions
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  if (threads < count + THREADS_TO_SPARE) {
    const least = count + THREADS_TO_SPARE
    const expected = `expected UV_THREADPOOL_SIZE of at least ${least}`
    throw new GatewayError('config', `${expected} for ${count} sessions, got ${threads}`)
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // The engine has its own lock, but prints an error on stderr if the lock is taken.
  const unlock = lockFolder(directory)
  if (unlock === undefined) throw inUse(directory)
  closeStdin()
  const workerOf = (index: number): number => {
    // An operator's statements may keep a worker busy for seconds.
    return index < options.sessions ? index % WORKERS : WORKERS
  }
  WorkerSession.startThreads(new Set(Array.from({ length: count }, (_, index) => workerOf(index))))
  try {
    // This thread opens the first session: while it uses the engine's library, the library stays loaded.
    const args = connectionArgs(options)
    const control = openSession(directory, args)
    const sessions: WorkerSession[] = []
    // One after the other: the library's list of sessions is not safe for several threads.
    for (let index = 0; index < count; index += 1) {
      const opening = { directory, connectionArgs: args }
      sessions.push(await WorkerSession.open(workerOf(index), opening))
    }
    return new EmbeddedEngine(options, control, sessions, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

class EmbeddedEngine implements Engine {
  readonly stream: Engine['stream']
  readonly execute: Engine['execute']
  readonly insertCsv: Engine['insertCsv']
  readonly loadTimeZone: Engine['loadTimeZone']
  readonly probe: Engine['probe']
  readonly readMemory: Engine['readMemory']
  readonly readFingerprint: Engine['readFingerprint']
  readonly background: Queries
  readonly #sessions: readonly WorkerSession[]
  /** Runs no reports, so that it can always kill a query. */
  readonly #control: Session
  readonly #pools: readonly SessionPool<WorkerSession>[]
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
    const pool = new SessionPool(sessions.slice(0, options.sessions), options)
    const backgroundPool = new SessionPool(sessions.slice(options.sessions), BACKGROUND_QUEUE)
    this.#pools = [pool, backgroundPool]
    const { stream, execute, insertCsv } = this.#queriesOn(pool)
    this.stream = stream
    this.execute = execute
    this.insertCsv = insertCsv
    this.background = { ...this.#queriesOn(backgroundPool), loadTimeZone: this.loadTimeZone }
    this.probe = async (signal) => await probeWith(this, 'SELECT 1 AS value', signal, () => true)
    this.readMemory = async (signal) => await readNumber(this, MEMORY, signal)
    this.readFingerprint = async () => engineFingerprint()
    this.#failure = (error) => engineFailure(error, options)
    this.#limits = {
      max_execution_time: options.querySeconds,
      max_memory_usage: options.queryBytesMax,
    }
  }

  #queriesOn(pool: SessionPool<WorkerSession>): Omit<Queries, 'loadTimeZone'> {
    return {
      stream: async (...asked) => await this.#stream(pool, ...asked),
      execute: async (...asked) => await this.#execute(pool, ...asked),
      // Inside a statement, the rows would end at the first empty line, and the engine would run the following lines as
      // a statement of their own.
      insertCsv: async ({ path, table, columns, settings }, signal) => {
        const names = Object.keys(columns)
        const structure = names.map((name) => `${name} ${columns[name]}`).join(', ')
        const sql = `INSERT INTO ${table} (${names.join(', ')})
          SELECT * FROM file({path:String}, 'CSV', {structure:String}) ${settingsClause(settings)}`
        await this.#execute(pool, sql, { path, structure }, signal)
      },
    }
  }

  async #stream(
    pool: SessionPool<WorkerSession>,
    query: EngineQuery,
    signal: AbortSignal,
    onPlanned: () => void = () => {},
  ): Promise<AsyncGenerator<EngineChunk, void>> {
    const session = await pool.acquire(signal)
    const runId = randomUUID()
    const end = this.#begin(runId, session, pool)
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
      const first = await turn.read(0, async () => {
        await session.send({ kind: 'plan', sql, parameters, format, role })
        onPlanned()
        return await session.send({ kind: 'next' })
      })
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

  async #execute(
    pool: SessionPool<WorkerSession>,
    sql: string,
    parameters: EngineQuery['parameters'] = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    const session = await pool.acquire(signal)
    const runId = randomUUID()
    const end = this.#begin(runId, session, pool)
    const onAbort = (): void => this.#kill(runId)
    signal.addEventListener('abort', onAbort, { once: true })
    let done = false
    try {
      await session.send({ kind: 'execute', runId, sql, parameters })
      done = true
    } catch (error) {
      signal.throwIfAborted()
      throw this.#failure(error)
    } finally {
      signal.removeEventListener('abort', onAbort)
      await end(done)
    }
  }

  async close(): Promise<void> {
    for (const pool of this.#pools) pool.close()
    for (const runId of this.#running.keys()) this.#kill(runId)
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
    await drainPending()
    for (const session of this.#sessions) await session.send({ kind: 'close' })
    this.#control.close()
    await drainPending()
    this.#unlock()
  }

  /** Records that a query runs. The returned function records its end and releases the session. */
  #begin(
    runId: string,
    session: WorkerSession,
    pool: SessionPool<WorkerSession>,
  ): (isComplete: boolean) => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const run: Running = { ended: promise }
    this.#running.set(runId, run)
    let over = false
    return async (isComplete) => {
      if (over) return
      over = true
      if (isComplete || (await rinse(session))) pool.release(session)
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

function connectionArgs(options: EmbeddedEngineOptions): readonly string[] {
  const { directory, reportColumns, engineBytesMax } = options
  return [
    writeAccess(join(directory, 'access'), reportColumns),
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
