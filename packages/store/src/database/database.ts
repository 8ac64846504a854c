import * as z from 'zod'
import { GatewayError } from '@counterfoil/common'
import { SCHEMA_VERSION } from './schema.ts'

export type Value = string | number | Uint8Array | null

export class Statement {
  readonly texts: readonly string[]
  readonly values: readonly Value[]

  constructor(texts: readonly string[], values: readonly Value[]) {
    this.texts = texts
    this.values = values
  }

  /** Writes the text, with a placeholder for each value. Values count from 1. */
  write(placeholder: (number: number) => string): string {
    return this.texts.reduce((text, next, number) => text + placeholder(number) + next)
  }
}

type Part = Value | Statement

/**
 * Makes a statement. A list stands for its elements with commas between them, and a statement for a part of this one.
 *
 * @example
 * sql`SELECT * FROM keys WHERE login = ${login}`
 */
export function sql(
  texts: readonly string[],
  ...parts: readonly (Part | readonly Part[])[]
): Statement {
  const written = [texts[0] ?? '']
  const values: Value[] = []
  const append = (text: string): void => void written.push((written.pop() ?? '') + text)
  const insert = (part: Part): void => {
    if (!(part instanceof Statement)) {
      values.push(part)
      written.push('')
      return
    }
    append(part.texts[0] ?? '')
    written.push(...part.texts.slice(1))
    values.push(...part.values)
  }
  for (const [index, part] of parts.entries()) {
    for (const [place, element] of [part].flat().entries()) {
      if (place > 0) append(', ')
      insert(element)
    }
    append(texts[index + 1] ?? '')
  }
  return new Statement(written, values)
}

/** The text of a part of a statement, such as the name of a table. It must not come from outside. */
export function rawSql(text: string): Statement {
  return new Statement([text], [])
}

/** Runs a statement. Throws a `GatewayError` of the code `store` or `store-busy`. */
export type Execute = (
  statement: Statement,
) => Promise<{ readonly rows: readonly object[]; readonly changes: number }>

/** Runs statements, and reads their rows by schemas. */
export type Queries = ReturnType<typeof queriesOf>

function queriesOf(execute: Execute) {
  /** Returns all rows. A schema has the name `keyId` for the column `key_id`. NULL is an absent member. */
  const all = async <Row extends z.ZodType>(row: Row, statement: Statement) => {
    const { rows } = await execute(statement)
    return rows.map((columns): z.output<Row> => row.parse(withMemberNames(columns)))
  }
  return {
    all,
    first: async <Row extends z.ZodType>(row: Row, statement: Statement) => {
      return (await all(row, statement)).at(0)
    },
    /** Runs a statement, and returns how many rows it has written. */
    run: async (statement: Statement) => (await execute(statement)).changes,
  }
}

function withMemberNames(columns: object): object {
  const members = Object.entries(columns).filter(([, value]) => value !== null)
  return Object.fromEntries(
    members.map(([name, value]) => [
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}

/** A column with a time, in milliseconds since 1970. */
export const instant = z.int().transform((ms) => new Date(ms))

/** Work that must not run beside other work of its kind, in any process. */
export const LOCKS = { tables: 1, credentials: 2, relay: 3 } as const

export type Lock = keyof typeof LOCKS

/** What differs between databases. */
export interface Backend {
  /** Gives `work` a connection for itself. */
  readonly connect: <T>(work: (execute: Execute) => Promise<T>) => Promise<T>
  /** Begins a transaction, and waits for other transactions of the lock. */
  readonly begin: (execute: Execute, lock: Lock | undefined) => Promise<void>
  /** Waits until what was committed is on the disk. */
  readonly reachDisk: () => Promise<void>
  /** Runs work of a login. Work of one login leaves connections for others. */
  readonly share: <T>(login: string, work: () => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

export type Database = ReturnType<typeof createDatabase>

export function createDatabase({ connect, begin, ...backend }: Backend) {
  return {
    ...queriesOf((statement) => connect((execute) => execute(statement))),
    ...backend,
    /** Runs all of `work` or none, and returns when it is on the disk. Transactions with the same lock run in turn. */
    transaction: async <T>(lock: Lock | undefined, work: (queries: Queries) => Promise<T>) => {
      const result = await connect(async (execute) => {
        try {
          await begin(execute, lock)
          const done = await work(queriesOf(execute))
          await execute(sql`COMMIT`)
          return done
        } catch (error) {
          await execute(sql`ROLLBACK`).catch(() => {})
          throw error
        }
      })
      await backend.reachDisk()
      return result
    },
  }
}

export class StorePart {
  protected readonly database: Database

  constructor(database: Database) {
    this.database = database
  }
}

/** Returns whether there are no tables yet. Throws if another version of the gateway made them. */
export function lacksTables(version: number): boolean {
  if (version === SCHEMA_VERSION || version === 0) return version === 0
  const message = `The store has version ${version}, of a newer gateway`
  throw new GatewayError('store', `${message}. This gateway reads version ${SCHEMA_VERSION}`)
}

export function storeFailure(message: string, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause
  // A host with two addresses fails with an error for each.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const reason = first instanceof Error ? first.message : String(first)
  return new GatewayError('store', `${message}: ${reason}`, { cause })
}
