import type { Engine, EngineQuery } from '../src/engine/engine.ts'

/** Runs queries on one open engine. */
export interface QueryKit {
  readonly query: (sql: string, change?: Partial<EngineQuery>) => EngineQuery
  /** Reads a result to its end. No value has a line break. */
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
      for await (const chunk of await engineOf().stream(asked, signal)) {
        chunks.push(Buffer.from(chunk.bytes))
      }
      const text = Buffer.concat(chunks).toString()
      return { text, rows: text.split('\n').length - 1, chunks: chunks.length }
    },
  }
}
