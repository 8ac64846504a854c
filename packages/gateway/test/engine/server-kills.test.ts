// @module-tag long

import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startClickHouse, READABLE } from '../kit/clickhouse-server.ts'
import { open, query, read } from '../kit/cluster-kit.ts'

// `SERVER_KILLS=100` for a long run.
const KILLS = Number(process.env['SERVER_KILLS'] ?? 3)
const ROWS = 3_000_000

const result = query(`SELECT concat(toString(number), '\n') AS _row FROM numbers(${ROWS})`)

test('a result of a server that is killed is never whole, or comes from the other server', async () => {
  const other = await startClickHouse(READABLE)
  const ends = { cut: 0, whole: 0, other: 0 }
  for (let round = 0; round < KILLS; round += 1) {
    const server = await startClickHouse(READABLE)
    const engine = await open([server.url, other.url])
    await read(engine, query("SELECT 'a\n' AS _row"))
    const reading = read(engine, result)
    await sleep(randomInt(400))
    await server.kill()
    const { rows, error } = await reading
    // The other server cannot tell where the killed one stopped, so a result that has begun is cut.
    expect(error === undefined ? rows : ROWS).toBe(ROWS)
    ends[error === undefined ? 'whole' : 'cut'] += 1
    const next = await read(engine, query("SELECT 'b\n' AS _row"))
    expect(next).toMatchObject({ text: 'b\n', rows: 1, error: undefined })
    ends.other += 1
    await server.remove()
    await engine.close()
  }
  await other.remove()
  if (KILLS > 10) console.log(ends)
  expect(ends.other).toBe(KILLS)
})
