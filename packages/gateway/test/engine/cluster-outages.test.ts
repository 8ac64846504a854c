// @module-tag long

import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { listen, NEVER, open, query, read, startServer } from '../kit/cluster-kit.ts'
import { READABLE, startClickHouse } from '../kit/clickhouse-server.ts'

// A silent server is given up within one round of probes. The rest is for a machine with other work.
const GIVEN_UP_MS = LIMITS.serverProbeEveryMs + LIMITS.serverProbeTimeoutMs
const PATIENCE_MS = 2 * GIVEN_UP_MS

const small = query("SELECT 'x' AS _row")

const server = await startClickHouse(READABLE)
afterAll(() => server.remove())

/** Starts a server that accepts connections and sends this reply. */
async function startOther(reply = ''): Promise<string> {
  const other = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => socket.write(reply))
  })
  return `http://127.0.0.1:${await listen(other)}`
}

describe('a server that accepts connections', () => {
  test('and says nothing is given up at the start', async () => {
    const engine = await open([await startOther(), server.url])
    expect(await read(engine, small)).toMatchObject({ text: 'x', error: undefined })
  }, 60_000)

  test('and switches protocols is given up at once', async () => {
    const reply =
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'
    const startMs = performance.now()
    const engine = await open([await startOther(reply), server.url])
    expect(await read(engine, small)).toMatchObject({ text: 'x', error: undefined })
    expect(performance.now() - startMs).toBeLessThan(LIMITS.serverProbeEveryMs)
  })

  test('and hangs later is given up, by new queries and by results that have begun', async () => {
    const hanging = await startServer()
    const engine = await open([hanging.url, server.url])
    const long = "SELECT concat(toString(number), '\\n') AS _row FROM numbers(100000000)"
    const begun = await engine.stream(query(long), NEVER)
    await begun.next()
    hanging.freeze()
    const startMs = performance.now()
    const rest = async () => {
      for await (const _ of begun);
    }
    const rested = rest()
    rested.catch(() => {})
    expect(await read(engine, small)).toMatchObject({ text: 'x', error: undefined })
    await expect(rested).rejects.toMatchObject({ code: 'engine-failed' })
    expect(performance.now() - startMs).toBeLessThan(PATIENCE_MS)
  }, 60_000)

  test('and computes for a long time is not given up', async () => {
    const engine = await open([server.url])
    const slow = query('SELECT toString(max(sleepEachRow(1))) AS _row FROM numbers(7)')
    const settings = { max_block_size: 1 }
    const startMs = performance.now()
    expect((await read(engine, { ...slow, settings })).text).toBe('0')
    expect(performance.now() - startMs).toBeGreaterThan(LIMITS.serverProbeEveryMs)
  }, 60_000)
})

test('a caller that leaves does not wait for the check of a silent server, and later callers get an answer', async () => {
  const dying = await startServer()
  const engine = await open([dying.url, await startOther(), server.url])
  await dying.kill()
  const leaving = new AbortController()
  const asked = engine.stream(small, leaving.signal)
  await sleep(500)
  const leftMs = performance.now()
  leaving.abort(new Error('gone'))
  await expect(asked).rejects.toThrow('gone')
  expect(performance.now() - leftMs).toBeLessThan(LIMITS.serverProbeEveryMs)
  expect(await read(engine, small)).toMatchObject({ text: 'x', error: undefined })
}, 60_000)

test('an engine can be reached, and not if its server is gone', async () => {
  const dying = await startServer()
  const engine = await open([dying.url])
  await engine.probe(NEVER)
  await dying.kill()
  await expect(engine.probe(NEVER)).rejects.toMatchObject({ code: 'engine-busy' })
})
