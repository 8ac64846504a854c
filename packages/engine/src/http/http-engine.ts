import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { settingsClause, STREAMING_SETTINGS } from '../dialect/settings.ts'
import { GatewayError, LIMITS, unlessAborted } from '@counterfoil/common'
import { type EngineRole, REPORT_ROLE, type ReportColumns } from '../engine/access.ts'
import { checkServer } from './check-server.ts'
import {
  ClickHouseServer,
  type ServerQuery,
  type ServerReply,
  type ServerResult,
} from './clickhouse-server.ts'
import type { ServerSource } from './server-source.ts'
import { engineFingerprint } from '../own-server/engine-fingerprint.ts'
import {
  type Engine,
  type EngineChunk,
  type EngineQuery,
  probeWith,
  readNumber,
  readRows,
} from '../engine/engine.ts'
import { readServerFingerprint } from './read-server-fingerprint.ts'
import { frameOf, type ResultFrame, STATEMENT_FRAME } from './result-frame.ts'
import { ResultReader } from './result-reader.ts'
import { RunningQuery } from './running-query.ts'
import { isServersAnswer, serverFailure } from './server-failure.ts'
import { createZoneCheck } from '../zones/zone-check.ts'
import { createZoneFiles } from '../zones/zone-files.ts'

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

const PROBE = 'SELECT 1 AS value'

/** The role of the server that each role of the gateway uses. The owner has all roles of the user. */
const SERVER_ROLES: Readonly<Record<EngineRole, string | undefined>> = {
  owner: undefined,
  report: REPORT_ROLE,
}

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
  readonly probe: Engine['probe']
  readonly readMemory: Engine['readMemory']
  readonly readFingerprint: Engine['readFingerprint']
  readonly ownServer: Engine['ownServer']
  readonly #options: EngineOptions
  /** A server that does not answer becomes the last one. */
  readonly #servers: ClickHouseServer[]
  readonly #checks = new Map<ClickHouseServer, Promise<void>>()
  readonly #running = new Set<RunningQuery>()
  #isClosed = false

  constructor(options: EngineOptions) {
    this.#options = options
    this.#servers = options.servers.map((server) => new ClickHouseServer(server))
    const { ownFolder, servers } = options
    this.ownServer = ownFolder === undefined ? undefined : servers[0]?.address
    this.loadTimeZone =
      ownFolder === undefined
        ? createZoneCheck(this, Date.now)
        : createZoneFiles(join(ownFolder, 'time-zones'))
    this.probe = async (signal) => await probeWith(this, PROBE, signal, isServersAnswer)
    const memory = ownFolder === undefined ? MEMORY : OWN_MEMORY
    this.readMemory = async (signal) => await readNumber(this, memory, signal)
    this.readFingerprint = async () =>
      ownFolder === undefined ? await readServerFingerprint(this) : engineFingerprint()
  }

  // These are properties, so that `{ ...engine, stream }` keeps the others.
  readonly stream: Engine['stream'] = async (query, signal, onPlanned = () => {}) => {
    const run = this.#begin(signal)
    const chunks = await this.#start(query, run, signal, (asked) =>
      this.#sendToAny(asked, run, signal),
    )
    onPlanned()
    if (!signal.aborted) return chunks
    await run.stop()
    throw signal.reason
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
      throw this.#failure(error)
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

  async #start(
    query: EngineQuery,
    run: RunningQuery,
    signal: AbortSignal,
    send: (asked: ServerQuery) => Promise<ServerResult>,
  ): Promise<AsyncGenerator<EngineChunk, void>> {
    try {
      signal.throwIfAborted()
      const frame = frameOf(query.format, randomUUID())
      const { response, tag } = await send(this.#asked(query, run, frame))
      run.attach(new ResultReader(response, tag, frame))
      const first = await run.read()
      signal.throwIfAborted()
      return this.#read(first, run, signal)
    } catch (error) {
      await run.stop()
      signal.throwIfAborted()
      throw this.#failure(error)
    }
  }

  async *#read(
    first: EngineChunk | undefined,
    run: RunningQuery,
    signal: AbortSignal,
  ): AsyncGenerator<EngineChunk, void> {
    signal.throwIfAborted()
    try {
      let chunk = first
      while (chunk !== undefined) {
        yield chunk
        chunk = await run.read()
      }
    } catch (error) {
      signal.throwIfAborted()
      throw this.#failure(error)
    } finally {
      await run.stop()
    }
  }

  #asked(
    { sql, parameters, role, settings }: EngineQuery,
    { id }: RunningQuery,
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
      role: SERVER_ROLES[role],
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
    const check = known ?? checkServer((sql) => this.#readTexts(server, sql), this.#options)
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
    const send = async (asked: ServerQuery, run: RunningQuery): Promise<ServerResult> => {
      const reply = await sendTo(server, asked, run)
      if (reply.kind !== 'result') throw reply.error
      return reply
    }
    const stream: Engine['stream'] = async (query, signal) => {
      const run = this.#begin(signal)
      return await this.#start(query, run, signal, (asked) => send(asked, run))
    }
    const row = z.record(z.string(), z.string())
    // Every query waits for the check, so no server may delay it.
    const late = AbortSignal.timeout(LIMITS.serverCheckMs)
    const rows = await readRows({ stream }, row, { sql, parameters: {} }, late)
    return rows.flatMap((texts) => Object.values(texts))
  }

  #failure(error: unknown): GatewayError {
    return serverFailure(error, this.#options)
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
