import type * as z from 'zod'
import type { EngineRole } from './access.ts'

/** A value that is bound to a placeholder `{name:Type}`; instants travel as text in UTC, `2026-11-20 10:00:00.000`. */
export type EngineValue = string | number | readonly string[] | readonly number[]

/** A query: its text, what is bound to its placeholders, and the settings it runs under. */
export interface EngineQuery {
  /** ClickHouse SQL, without `FORMAT` and `SETTINGS`. */
  readonly sql: string
  readonly parameters: Readonly<Record<string, EngineValue>>
  readonly settings: Readonly<Record<string, string | number>>
  readonly role: EngineRole
  /** One of the engine's output formats, as `CSV`; none with a header row, which every chunk would begin with. */
  readonly format: string
}

/** A piece of a result in the query's format. */
export interface EngineChunk {
  /** The reader's own, memory and all. */
  readonly bytes: Uint8Array
  /** How many rows of data end in it. */
  readonly rows: number
}

/**
 * Where the ledger is and reports run: embedded in this process, or a server reached over HTTP.
 * Everything throws `engine-busy`, `engine-limit` or `engine-failed`, or the reason of a signal that ended it.
 */
export interface Engine {
  /**
   * Runs a query and resolves when its first bytes are there.
   * `signal`, or leaving the loop, ends the query in the engine, also before its first bytes.
   */
  stream(query: EngineQuery, signal: AbortSignal): Promise<AsyncGenerator<EngineChunk, void>>
  /** Runs a statement that answers nothing: it creates, changes or fills. */
  execute(sql: string, parameters?: EngineQuery['parameters']): Promise<void>
  /**
   * Gives the engine Node's rules of a time zone, so that both read the same clocks.
   *
   * @param timezone an IANA name that Node knows
   * @returns the zone's name in SQL
   */
  loadTimeZone(timezone: string): Promise<string>
  /** Ends what still runs, waits until the engine is quiet, and closes it. */
  close(): Promise<void>
}

/** Runs a query whose answer is small and returns its rows; 64-bit integers come as text. It has the owner's role. */
export async function readRows<Row extends z.ZodType>(
  engine: Engine,
  row: Row,
  query: Pick<EngineQuery, 'sql' | 'parameters'> & Partial<Pick<EngineQuery, 'settings' | 'role'>>,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly z.output<Row>[]> {
  const settings = {
    readonly: 1,
    output_format_json_quote_64bit_integers: 1,
    ...query.settings,
  }
  const chunks = await engine.stream(
    { role: 'owner', ...query, settings, format: 'JSONEachRow' },
    signal,
  )
  let text = ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const { bytes } of chunks) text += decoder.decode(bytes, { stream: true })
  text += decoder.decode()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => row.parse(JSON.parse(line)))
}
