import * as z from 'zod'
import type { EngineRole } from './access.ts'

/** A value that is bound to a placeholder `{name:Type}`. Instants are text in UTC: `2026-11-20 10:00:00.000`. */
export type EngineValue = string | number | readonly (string | number)[]

/**
 * The output formats of queries. A row of `RawBLOB` consists of the bytes of its one column, which has the name `_row`,
 * and its rows are counted. No format has a header row. A server writes `JSONEachRow` as an array (`readRows`). A result
 * in `Parquet` is one file.
 */
export type EngineFormat = 'RawBLOB' | 'CSV' | 'JSONEachRow' | 'Parquet'

/** A query: its text, the values of its placeholders, and its settings. */
export interface EngineQuery {
  /** ClickHouse SQL, without `FORMAT` and `SETTINGS`. */
  readonly sql: string
  readonly parameters: Readonly<Record<string, EngineValue>>
  readonly settings: Readonly<Record<string, string | number>>
  readonly role: EngineRole
  readonly format: EngineFormat
}

/** Rows that a table receives: `INSERT INTO … FORMAT CSV`, and the rows in that format. */
export interface Insert {
  readonly sql: string
  readonly body: AsyncIterable<Uint8Array>
}

/** A piece of a result in the query's format. */
export interface EngineChunk {
  /** The reader may free this memory with `freeMemory`. */
  readonly bytes: Uint8Array
  /** The number of all rows in the last chunk of a result in `RawBLOB`, or else 0. */
  readonly rows: number
}

/**
 * Runs queries. Every method throws `engine-busy`, `engine-limit` or `engine-failed`, or the reason of an aborted
 * signal.
 */
export interface Queries {
  /**
   * Runs a query and resolves when its first bytes arrive. An abort of `signal` kills the query at any time, and so
   * does a reader that leaves the loop.
   *
   * @param onPlanned called when the engine has chosen the rows that it will read. A later change of a table does not
   *   change the result.
   */
  stream(
    query: EngineQuery,
    signal: AbortSignal,
    onPlanned?: () => void,
  ): Promise<AsyncGenerator<EngineChunk, void>>
  /** Runs a statement without a result, such as CREATE, ALTER or INSERT. An abort of `signal` kills it. */
  execute(sql: string, parameters?: EngineQuery['parameters'], signal?: AbortSignal): Promise<void>
  /** Inserts rows into a table while they are read. An abort of `signal` ends it. */
  insert(insert: Insert, signal?: AbortSignal): Promise<void>
  /**
   * Gives the engine Node's rules of a time zone, so that both agree on local times.
   *
   * @param timezone an IANA name that Node knows
   * @returns the zone's name in SQL
   */
  loadTimeZone(timezone: string): Promise<string>
}

/** Holds the ledger and runs reports: ClickHouse servers, reached over HTTP. */
export interface Engine extends Queries {
  /** Resolves if the engine answers, also with `engine-busy`. Throws if the engine cannot be reached. */
  readonly probe: (signal: AbortSignal) => Promise<void>
  /** Reads how much memory the queries take, in bytes. `engine.memoryMax` limits it. */
  readonly readMemory: (signal: AbortSignal) => Promise<number>
  /** Identifies the engine's build, and all else in the engine that decides about the check of a report file. */
  readonly readFingerprint: () => Promise<string>
  /** Finds the gateway's own server. Undefined on a server of the operator. */
  readonly ownServer: (() => Promise<ServerAddress>) | undefined
  /** Kills the running queries, waits until they have ended, and closes the engine. */
  close(): Promise<void>
}

/** A query with a small result: its text, or more of it. */
type SmallQuery = string | (Pick<EngineQuery, 'sql'> & Partial<Omit<EngineQuery, 'format'>>)

/** Runs a query with a small result and returns its rows. 64-bit integers are text. The default role is `owner`. */
export async function readRows<Row extends z.ZodType>(
  engine: Pick<Queries, 'stream'>,
  row: Row,
  query: SmallQuery,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly z.output<Row>[]> {
  const asked = typeof query === 'string' ? { sql: query } : query
  const settings = {
    readonly: 1,
    output_format_json_quote_64bit_integers: 1,
    // Bytes that are not UTF-8 become replacement characters.
    output_format_json_validate_utf8: 1,
    ...asked.settings,
  }
  const chunks = await engine.stream(
    { role: 'owner', parameters: {}, ...asked, settings, format: 'JSONEachRow' },
    signal,
  )
  let text = ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const { bytes } of chunks) text += decoder.decode(bytes, { stream: true })
  text += decoder.decode()
  // A server writes the rows as an array, whose end shows that no row is missing.
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => row.parse(JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line)))
}

const numberRow = z.object({ value: z.coerce.number() })

/** Runs a query for one number, which it calls `value`. */
export async function readNumber(
  engine: Pick<Queries, 'stream'>,
  query: SmallQuery,
  signal?: AbortSignal,
): Promise<number> {
  const [row] = await readRows(engine, numberRow, query, signal)
  return row?.value ?? 0
}

/** How the gateway logs in to a server. */
export interface ServerLogin {
  readonly user: string
  readonly password: string
  /** PEM of the certificate authority. The default is Node's list. */
  readonly ca?: string | undefined
}

/** Where a server is, and how the gateway logs in. */
export interface ServerAddress {
  readonly url: string
  readonly login: ServerLogin
}

/** A server that the gateway may use: its own, or one of the operator's. */
export interface ServerSource {
  /** What messages call it. */
  readonly name: string
  /** Resolves with the address. The own server has another one after each start. */
  readonly address: () => Promise<ServerAddress>
  readonly close: () => Promise<void>
  /** Whether it starts again when it ends. */
  readonly isOwn?: boolean
}

/** A server of the operator. */
export function serverAt(url: string, login: ServerLogin): ServerSource {
  return { name: url, address: async () => ({ url, login }), close: async () => {} }
}
