import type { Queries } from '../../../engine/src/engine/engine.ts'

/** An engine that fails before a statement, and then fails every other one. */
export function mortal(engine: Queries, last: RegExp): Queries {
  let isDead = false
  const guard = (text: string): void => {
    isDead ||= last.test(text)
    if (isDead) throw new Error('dead')
  }
  return {
    stream: async (query, signal) => {
      guard(query.sql)
      return await engine.stream(query, signal)
    },
    execute: async (sql, parameters) => {
      guard(sql)
      await engine.execute(sql, parameters)
    },
    insert: async (insert) => {
      guard(insert.sql)
      await engine.insert(insert)
    },
    loadTimeZone: async (timezone) => await engine.loadTimeZone(timezone),
  }
}
