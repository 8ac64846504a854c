import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { settingsClause, STREAMING_SETTINGS } from '../dialect/settings.ts'
import { GatewayError, LIMITS, unlessAborted } from '@counterfoil/common'
import { checkServer, REPORT_ROLE, type ReportColumns } from '../engine/access.ts'
import {
  type Engine,
  type EngineChunk,
  type EngineQuery,
  readNumber,
  readRows,
  type ServerSource,
} from '../engine/engine.ts'
import { engineFailure, isBusyServer } from '../engine/failures.ts'
import { engineFingerprint } from '../own-server/own-server.ts'
import { createZoneCheck, createZoneFiles } from '../zones/time-zones.ts'
import {
  ClickHouseServer,
  type ServerQuery,
  type ServerReply,
  type ServerResult,
} from './clickhouse-server.ts'
import { FRAMES, type ResultFrame, ResultReader, STATEMENT_FRAME } from './results.ts'
import { RunningQuery } from './running-query.ts'

/** How the gateway uses ClickHouse servers. */
export interface EngineOptions {
  /** The servers, which have the same data. The gateway asks the first one that answers. */
  readonly servers: readonly ServerSource[]
  /** The folder of the data, if the server is the gateway's own. It reads files of this machine. */
  readonly ownFolder?: string | undefined
  /** The time limit of one query. */
  readonly querySeconds: number
  /** The memory limit of one query. */
  readonly queryBytesMax: number
  /** The memory limit of all queries of the user together. */
  readonly engineBytesMax: number
  /** The columns that the role `report` may read, by table. */
  readonly reportColumns: ReportColumns
}

// On a server of the operator, `system.metrics` would need a right, and counts the queries of other users too.
const MEMORY = 'SELECT sum(memory_usage) AS value FROM system.processes WHERE user = currentUser()'
const OWN_MEMORY = "SELECT value FROM system.metrics WHERE metric = 'MemoryTracking'"

/**
 * Reads everything of a ClickHouse server that decides about the check of a report file: its build, its time zones, the
 * functions that its operator added, the tables, and the settings of the gateway's user. One query reads it, so all of
 * it is of one server. The functions of the build need no list of their own. `log_comment` is the id of the query.
 */
const FACTS = `SELECT fact, name, text FROM (
  SELECT 'version' AS fact, version() AS name, buildId() AS text
  UNION ALL SELECT 'zones', '', toString(sum(cityHash64(time_zone))) FROM system.time_zones
  UNION ALL SELECT 'function', name, create_query FROM system.functions WHERE origin != 'System'
  UNION ALL SELECT 'table', name, create_table_query FROM system.tables
    WHERE database = 'default' AND NOT match(name, '^(import|before_import)_')
  UNION ALL SELECT 'setting', name, value FROM system.settings WHERE changed AND name != 'log_comment'
) ORDER BY fact, name, text`

const factRow = z.object({ fact: z.string(), name: z.string(), text: z.string() })

/**
 * Connects to ClickHouse servers. The gateway checks the rights of its user on each server before the first query.
 *
 * @throws {GatewayError} `ledger` if no server answers, or if the user or its roles have the wrong rights
 */
export async function openHttpEngine(options: EngineOptions): Promise<Engine> {
  const engine = new HttpEngine(options)
  try {
    await readRows(engine, z.unknown(), { sql: 'SELECT 1', parameters: {} })
    return engine
  } catch (error) {
    await engine.close()
    const cause = causeOf(error)
    throw new GatewayError('ledger', `Cannot use ClickHouse. ${cause.message}`, { cause })
  }
}

class HttpEngine implements Engine {
  readonly loadTimeZone: Engine['loadTimeZone']
  readonly ownServer: Engine['ownServer']
  readonly #options: EngineOptions
  /** A server that does not answer becomes the last one. */
  readonly #servers: ClickHouseServer[]
  readonly #checks = new Map<ClickHouseServer, Promise<void>>()
  readonly #running = new Set<RunningQuery>()
  #isClosed = false

  constructor(options: EngineOptions) {
    const { ownFolder, servers } = options
    const isOwn = ownFolder !== undefined
    this.#options = options
    this.#servers = servers.map((server) => new ClickHouseServer(server))
    this.ownServer = isOwn ? servers[0]?.address : undefined
    this.loadTimeZone = isOwn
      ? createZoneFiles(join(ownFolder, 'time-zones'))
      : createZoneCheck(this, Date.now)
  }

  // These are properties, so that `{ ...engine, stream }` keeps the others.
  readonly probe: Engine['probe'] = async (signal) => {
    try {
      await readNumber(this, 'SELECT 1 AS value', signal)
    } catch (error) {
      if (!isBusyServer(error)) throw error
    }
  }

  readonly readMemory: Engine['readMemory'] = async (signal) => {
    return await readNumber(this, this.ownServer ? OWN_MEMORY : MEMORY, signal)
  }

  readonly readFingerprint: Engine['readFingerprint'] = async () => {
    if (this.ownServer) return engineFingerprint()
    return JSON.stringify(await readRows(this, factRow, { sql: FACTS, parameters: {} }))
  }

  readonly stream: Engine['stream'] = async (query, signal, onPlanned = () => {}) => {
    const chunks = await this.#start(query, signal, async (asked, run) => {
      return await this.#sendToAny(asked, run, signal)
    })
    onPlanned()
    signal.throwIfAborted()
    return chunks
  }

  readonly execute: Engine['execute'] = async (sql, parameters = {}, signal) => {
    await this.#execute({ sql, parameters }, signal)
  }

  readonly insert: Engine['insert'] = async ({ sql, body }, signal) => {
    await this.#execute({ sql, parameters: {}, data: body }, signal)
  }

  async #execute(
    statement: Pick<ServerQuery, 'sql' | 'parameters' | 'data'>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    const run = this.#begin(signal)
    try {
      const query = { ...statement, id: run.id, frame: STATEMENT_FRAME, isRepeatable: false }
      const { response, tag } = await this.#sendToAny(query, run, signal)
      run.attach(new ResultReader(response, tag, STATEMENT_FRAME))
      while ((await run.read()) !== undefined);
    } catch (error) {
      signal.throwIfAborted()
      throw engineFailure(error, this.#options)
    } finally {
      await run.stop()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#running].map(async (run) => await run.stop()))
    await Promise.all(this.#servers.map(async (server) => await server.close()))
  }

  /** Records a query. An abort of the signal ends it. */
  #begin(signal: AbortSignal): RunningQuery {
    signal.throwIfAborted()
    if (this.#isClosed) throw new GatewayError('shutting-down', 'The engine is closing.')
    const onAbort = (): void => void run.stop()
    const run = new RunningQuery(() => {
      signal.removeEventListener('abort', onAbort)
      this.#running.delete(run)
    })
    this.#running.add(run)
    signal.addEventListener('abort', onAbort, { once: true })
    return run
  }

  /** Starts a query, and resolves when its first bytes have arrived. */
  async #start(
    query: EngineQuery,
    signal: AbortSignal,
    send: (asked: ServerQuery, run: RunningQuery) => Promise<ServerResult>,
  ): Promise<AsyncGenerator<EngineChunk, void>> {
    const run = this.#begin(signal)
    try {
      const frame = FRAMES[query.format](randomUUID())
      const { response, tag } = await send(this.#asked(query, run.id, frame), run)
      run.attach(new ResultReader(response, tag, frame))
      const first = await run.read()
      signal.throwIfAborted()
      return this.#read(first, run, signal)
    } catch (error) {
      await run.stop()
      signal.throwIfAborted()
      throw engineFailure(error, this.#options)
    }
  }

  async *#read(
    first: EngineChunk | undefined,
    run: RunningQuery,
    signal: AbortSignal,
  ): AsyncGenerator<EngineChunk, void> {
    signal.throwIfAborted()
    try {
      for (let chunk = first; chunk !== undefined; chunk = await run.read()) yield chunk
    } catch (error) {
      signal.throwIfAborted()
      throw engineFailure(error, this.#options)
    } finally {
      await run.stop()
    }
  }

  #asked(
    { sql, parameters, role, settings }: EngineQuery,
    id: string,
    frame: ResultFrame,
  ): ServerQuery {
    const { querySeconds, queryBytesMax, engineBytesMax } = this.#options
    const clause = settingsClause({
      ...STREAMING_SETTINGS,
      max_execution_time: querySeconds,
      max_memory_usage: queryBytesMax,
      max_memory_usage_for_user: engineBytesMax,
      ...settings,
      log_comment: id,
    })
    return {
      id,
      sql: `${sql}\n${clause}`,
      parameters,
      frame,
      isRepeatable: true,
      // The owner has all roles of the user.
      role: role === 'report' ? REPORT_ROLE : undefined,
    }
  }

  /** Sends a query to one server after the other, until one answers. A statement runs at most once. */
  async #sendToAny(
    query: ServerQuery,
    run: RunningQuery,
    signal: AbortSignal,
  ): Promise<ServerResult> {
    const errors: Error[] = []
    const inTurn = [...this.#servers]
    for (const server of inTurn) {
      if (run.isStopped) break
      const fault = await unlessAborted(this.#check(server), signal)
      const reply = fault ?? (await sendTo(server, query, run))
      if (reply.kind === 'result') return reply
      if (reply.kind === 'failed') throw reply.error
      errors.push(new Error(`${server.name}: ${reply.error.message}`))
      this.#servers.push(...this.#servers.splice(this.#servers.indexOf(server), 1))
      if (reply.isSent && !query.isRepeatable) break
    }
    if (run.isStopped) throw new Error('The query was killed.')
    const reasons = errors.map(({ message }) => message).join('; ')
    throw new GatewayError('engine-busy', 'No ClickHouse server can run the query. Retry later.', {
      cause: new AggregateError(errors, reasons),
    })
  }

  /** Checks the user's rights on a server, until a check succeeds. A server with a fault gets no query. */
  async #check(server: ClickHouseServer): Promise<ServerReply | undefined> {
    const known = this.#checks.get(server)
    const check =
      known ?? checkServer((sql) => this.#readTexts(server, sql), this.#options.reportColumns)
    this.#checks.set(server, check)
    try {
      await check
      return undefined
    } catch (error) {
      this.#checks.delete(server)
      return { kind: 'none', isSent: false, error: causeOf(error) }
    }
  }

  /** Runs a query of the gateway's own on a server, and returns its texts. */
  async #readTexts(server: ClickHouseServer, sql: string): Promise<readonly string[]> {
    const stream: Engine['stream'] = async (query, signal) => {
      return await this.#start(query, signal, async (asked, run) => {
        const reply = await sendTo(server, asked, run)
        if (reply.kind !== 'result') throw reply.error
        return reply
      })
    }
    const row = z.record(z.string(), z.string())
    // Every query waits for the check, so no server may delay it.
    const late = AbortSignal.timeout(LIMITS.serverCheckMs)
    const rows = await readRows({ stream }, row, { sql, parameters: {} }, late)
    return rows.flatMap((texts) => Object.values(texts))
  }
}

/** Sends a query to a server, which has the query until it refuses or fails it. */
async function sendTo(
  server: ClickHouseServer,
  query: ServerQuery,
  run: RunningQuery,
): Promise<ServerReply> {
  run.sendTo(server)
  const reply = await server.send(query, run.signal)
  if (reply.kind !== 'result') run.sendTo(undefined)
  return reply
}

function causeOf(error: unknown): Error {
  const cause = error instanceof GatewayError ? (error.cause ?? error) : error
  return cause instanceof Error ? cause : new Error(String(cause))
}
