// @module-tag long

import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openOwnEngine } from '../../../engine/src/own-server/own-engine.ts'
import type { Engine } from '../../../engine/src/engine/engine.ts'

/** `STORM_QUERIES=10000 npm test -- engine-storm` runs more. */
const QUERIES = Number(process.env.STORM_QUERIES ?? 200)
/** After this many queries the engine is closed under load, and opened again. */
const QUERIES_PER_ENGINE = Math.min(1000, QUERIES / 2)
const AT_ONCE = 16
const OPTIONS = {
  querySeconds: 600,
  queryBytesMax: 256 * 1024 ** 2,
  engineBytesMax: 2 * 1024 ** 3,
  reportColumns: {},
}
/** Fast, slow and large queries, and some that fail before or after their first byte. */
const STATEMENTS = [
  'SELECT 1',
  'SELECT max(cityHash64(number)) FROM numbers(30000000)',
  'SELECT number FROM numbers(1000000)',
  "SELECT repeat('x', 1000) FROM numbers(50000)",
  "SELECT throwIf(number = 100000, 'why') FROM numbers(200000)",
  'SELEC 1',
]
const WAYS_TO_LEAVE = ['stays', 'aborts', 'aborts', 'leaves the loop'] as const

let directory: string
beforeAll(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'counterfoil-')), 'ledger')
})
afterAll(() => rmSync(join(directory, '..'), { recursive: true }))

test('an engine survives queries that end at random moments, and closing under load', async () => {
  const ended = { complete: 0, left: 0, failed: 0 }
  for (let asked = 0; asked < QUERIES; asked += QUERIES_PER_ENGINE) {
    const engine = await openOwnEngine({ ...OPTIONS, directory })
    let left = QUERIES_PER_ENGINE
    const loops = Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) ended[await askAtRandom(engine)] += 1
    })
    // The first loop to end leaves the others running.
    await Promise.race(loops)
    await engine.close()
    await Promise.all(loops)
  }
  expect(ended.complete + ended.left + ended.failed).toBe(QUERIES)
  expect(Math.min(ended.complete, ended.left, ended.failed)).toBeGreaterThan(0)
  const engine = await openOwnEngine({ ...OPTIONS, directory })
  const query = {
    sql: 'SELECT 42',
    parameters: {},
    settings: {},
    format: 'CSV' as const,
    role: 'owner' as const,
  }
  const chunks: Uint8Array[] = []
  for await (const { bytes } of await engine.stream(query, AbortSignal.timeout(60_000))) {
    chunks.push(bytes)
  }
  await engine.close()
  expect(Buffer.concat(chunks).toString()).toBe('42\n')
})

async function askAtRandom(engine: Engine): Promise<'complete' | 'left' | 'failed'> {
  const way = oneOf(WAYS_TO_LEAVE)
  const leaving = new AbortController()
  const timer = way === 'aborts' ? setTimeout(() => leaving.abort(), randomInt(60)) : undefined
  const chunksMax = way === 'leaves the loop' ? randomInt(4) : Infinity
  let chunks = 0
  try {
    const query = {
      sql: oneOf(STATEMENTS),
      parameters: {},
      settings: {},
      format: 'CSV' as const,
      role: 'owner' as const,
    }
    for await (const _ of await engine.stream(query, leaving.signal)) {
      chunks += 1
      if (chunks > chunksMax) return 'left'
    }
    return 'complete'
  } catch (error) {
    return error === leaving.signal.reason ? 'left' : 'failed'
  } finally {
    clearTimeout(timer)
  }
}

function oneOf<T>(values: readonly T[]): T {
  const value = values[randomInt(values.length)]
  if (value === undefined) throw new Error('expected some values')
  return value
}
