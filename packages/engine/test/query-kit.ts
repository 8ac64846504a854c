import type { Engine, EngineQuery } from '../src/engine/engine.ts'

/** Runs queries on one open engine. */
export interface QueryKit {
  readonly query: (sql: string, change?: Partial<EngineQuery>) => EngineQuery
  /** Reads a result to its end. */
  readonly read: (
    asked: EngineQuery,
    signal?: AbortSignal,
  ) => Promise<{ readonly text: string; readonly rows: number; readonly chunks: number }>
}

const NEVER = new AbortController().signal

/** Creates the kit for an engine that is opened later. */
export function queryKit(engineOf: () => Engine): QueryKit {
  return {
    query: (sql, change = {}) => {
      return { sql, parameters: {}, settings: {}, format: 'CSV', role: 'owner', ...change }
    },
    read: async (asked, signal = NEVER) => {
      const chunks: Buffer[] = []
      let rows = 0
      for await (const chunk of await engineOf().stream(asked, signal)) {
        chunks.push(Buffer.from(chunk.bytes))
        rows += chunk.rows
      }
      return { text: Buffer.concat(chunks).toString(), rows, chunks: chunks.length }
    },
  }
}
