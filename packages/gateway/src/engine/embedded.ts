import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ChdbQueryStream, drainPending, Session, type StreamChunk } from 'chdb'
import { resolveLibchdb } from 'chdb/libchdb'
import manifest from 'chdb/package.json' with { type: 'json' }
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { lockFolder } from '../store/lock-folder.ts'
import type { Engine, EngineChunk, EngineQuery } from './engine.ts'
import { engineFailure } from './engine-failure.ts'
import { type QueueLimits, SessionPool } from './session-pool.ts'
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
}

// A stream sits on one of libuv's threads; these are left for everybody else (files, look-ups, keys).
const THREADS_TO_SPARE = 8

// A scope of as many ids as a request's body can hold stands in the query's text; the engine's own limit is 256 KiB.
const QUERY_TEXT_BYTES_MAX = 4 * LIMITS.bodyBytesMax

// How a large ordered result stays small in memory: the ledger's parts are read in their own order, a few rows
// and a small buffer each. Measured in bench/: with the engine's own values it takes twice the memory.
export const STREAMING_SETTINGS = {
  max_threads: 2,
  max_block_size: 8192,
  max_read_buffer_size: 65_536,
  local_filesystem_read_method: 'pread',
  read_in_order_use_buffering: 0,
  do_not_merge_across_partitions_select_final: 1,
  output_format_parallel_formatting: 0,
} as const

/** Describes the engine's library: another version, or another build of it, gives another text. */
export function engineFingerprint(): string {
  const { path } = resolveLibchdb()
  const { size, mtimeMs } = statSync(path)
  return [manifest.version, path, size, mtimeMs].join(' ')
}

/** Opens the engine in this process on a directory, which it makes where there is none. */
export function openEmbeddedEngine(options: EmbeddedEngineOptions): Engine {
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
    return new EmbeddedEngine(options, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

class EmbeddedEngine implements Engine {
  readonly loadTimeZone: Engine['loadTimeZone']
  readonly #sessions: Set<Session>
  /** Never busy with a query, so that it can always end one. */
  readonly #control: Session
  readonly #pool: SessionPool<Session>
  readonly #limits: EngineQuery['settings']
  readonly #failure: (error: unknown) => GatewayError
  readonly #running = new Map<string, Promise<void>>()
  readonly #open: () => Session
  readonly #unlock: () => void

  constructor(options: EmbeddedEngineOptions, unlock: () => void) {
    this.loadTimeZone = createZoneFiles(join(options.directory, 'time-zones'))
    this.#unlock = unlock
    this.#open = () => openSession(options)
    this.#control = this.#open()
    this.#sessions = new Set(Array.from({ length: options.sessions }, this.#open))
    this.#pool = new SessionPool([...this.#sessions], options)
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
    let stream: ChdbQueryStream | undefined
    let waiting = false
    const finish = async (whole: boolean): Promise<void> => {
      signal.removeEventListener('abort', onAbort)
      stream?.cancel()
      await end(whole)
    }
    const onAbort = (): void => {
      this.#kill(runId)
      // Nobody has begun to read, so nobody will leave the loop.
      // A session that cannot be handed back is missing from then on, and that is all.
      if (waiting) finish(false).catch(() => {})
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const settings = { ...STREAMING_SETTINGS, ...this.#limits, ...query.settings }
      const sql = `${query.sql}\nSETTINGS ${formatSettings({ ...settings, log_comment: runId })}`
      stream = session.queryStreamBind(sql, query.parameters, { format: query.format })
      const chunks = stream[Symbol.asyncIterator]()
      const first = await chunks.next()
      signal.throwIfAborted()
      waiting = true
      return readAhead(first, chunks, {
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
      await session.queryBindAsync(sql, parameters)
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
    await Promise.all(this.#running.values())
    await drainPending()
    for (const session of [...this.#sessions, this.#control]) session.close()
    await drainPending()
    this.#unlock()
  }

  /** Notes that a query runs; what it returns notes the end and hands the session back. */
  #begin(runId: string, session: Session): (whole: boolean) => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#running.set(runId, promise)
    let over = false
    return async (whole) => {
      if (over) return
      over = true
      try {
        this.#pool.release(whole ? session : await this.#rinse(session))
      } finally {
        this.#running.delete(runId)
        resolve()
      }
    }
  }

  /**
   * A query that broke leaves its memory in its session, and bytes that would come out before the next result:
   * a query that nobody reads takes both along. Where even that fails, another session takes its place.
   */
  async #rinse(session: Session): Promise<Session> {
    try {
      await session.queryBindAsync('SELECT 1', {})
      return session
    } catch {
      this.#sessions.delete(session)
      session.close()
      const fresh = this.#open()
      this.#sessions.add(fresh)
      return fresh
    }
  }

  /** Ends a query wherever it is; a query that has ended already is none, which is fine. */
  #kill(runId: string): void {
    const sql = "KILL QUERY WHERE Settings['log_comment'] = {runId:String} ASYNC"
    this.#control.queryBindAsync(sql, { runId }).catch(() => {})
  }
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
  first: IteratorResult<StreamChunk>,
  chunks: AsyncIterator<StreamChunk>,
  reading: Reading,
): AsyncGenerator<EngineChunk, void> {
  reading.begin()
  let next: Promise<IteratorResult<StreamChunk>> | undefined
  let chunk = first
  try {
    while (!chunk.done) {
      next = chunks.next()
      // Whoever leaves between two chunks is not here to hear of it.
      next.catch(() => {})
      yield { bytes: chunk.value.raw(), rows: chunk.value.numRows }
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
    await reading.finish(chunk.done === true)
  }
}

function openSession({ directory, engineBytesMax }: EmbeddedEngineOptions): Session {
  try {
    return new Session(directory, {
      connectionArgs: [
        `--max_server_memory_usage=${engineBytesMax}`,
        `--max_query_size=${QUERY_TEXT_BYTES_MAX}`,
      ],
    })
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

/** Settings as a `SETTINGS` clause has them. */
export function formatSettings(settings: EngineQuery['settings']): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : quote(value)}`)
    .join(', ')
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
