// @module-tag long

import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readRows } from '../../../engine/src/engine/engine.ts'
import * as z from 'zod'
import { LIMITS } from '../../../common/src/limits.ts'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { listen, NEVER, open, query, read, startProxy, startServer } from '../kit/cluster-kit.ts'
import { READABLE, startClickHouse, USER } from '../kit/clickhouse-server.ts'

const FAILED = { code: 'engine-failed', message: 'The engine failed to run the report.' }

const long = "SELECT concat(toString(number), '\\n') AS _row FROM numbers(100000000)"

const FORMATS = ['RawBLOB', 'CSV', 'JSONEachRow', 'Parquet'] as const

const server = await startClickHouse(READABLE)
afterAll(() => server.remove())

function selfSigned() {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return makeCertificate(folder, '127.0.0.1')
}

/** Starts a server that ends TLS and forwards to the ClickHouse server. */
async function startTls() {
  const { cert, key } = await selfSigned()
  const end = createTlsServer({ cert, key }, (socket) => {
    const forwarded = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.pipe(forwarded).pipe(socket)
    forwarded.on('error', () => socket.destroy())
    socket.on('error', () => forwarded.destroy())
  })
  return { url: `https://127.0.0.1:${await listen(end)}`, ca: cert }
}

describe('the rows of a result', () => {
  test('are counted whatever bytes they have', async () => {
    const engine = await open([server.url])
    const row = String.raw`concat('é', char(number % 256), '\n\r\0"', toString(number))`
    const { text, rows, error } = await read(
      engine,
      query(`SELECT ${row} AS _row FROM numbers(50000)`),
    )
    expect(error).toBeUndefined()
    expect(rows).toBe(50_000)
    expect(text.endsWith('\0"49999')).toBe(true)
    const all = await server.run(`SELECT sum(length(${row})), 1 FROM numbers(50000) FORMAT CSV`)
    const { text: hex } = await read(
      engine,
      query(`SELECT hex(${row}) AS _row FROM numbers(50000)`),
    )
    expect(`${hex.length / 2},1\n`).toBe(all)
    expect(Buffer.from(hex, 'hex').toString()).toBe(text)
  })

  test('of JSON are complete if their texts look like the end', async () => {
    const engine = await open([server.url])
    const sql = String.raw`SELECT '\n{"b"},\n]\n' AS a, number AS b FROM numbers(30000)`
    const rows = await readRows(engine, z.unknown(), { sql, parameters: {} })
    const a = '\n{"b"},\n]\n'
    expect(rows).toEqual(Array.from({ length: 30_000 }, (_, n) => ({ a, b: String(n) })))
  })
})

describe('a result that breaks after its first byte is cut', () => {
  test.each(FORMATS)(
    'because the query fails, as %s, without a byte of the error',
    async (format) => {
      const engine = await open([server.url])
      const text = "hex(cityHash64(number)) || toString(throwIf(number = 1999999, 'why'))"
      const sql = `SELECT ${text} AS _row FROM numbers(2000000)`
      const { text: received, error } = await read(engine, query(sql, format))
      expect(error).toMatchObject({ ...FAILED, cause: { message: expect.stringContaining('why') } })
      expect(received.length).toBeGreaterThan(100_000)
      expect(received).not.toMatch(/exception|Code:/i)
      expect((await read(engine, query("SELECT 'x' AS _row"))).text).toBe('x')
    },
  )

  test('because the server is killed', async () => {
    const dying = await startServer()
    const engine = await open([dying.url])
    const chunks = await engine.stream(query(long), NEVER)
    await chunks.next()
    await dying.kill()
    const rest = async () => {
      for await (const _ of chunks);
    }
    await expect(rest()).rejects.toMatchObject(FAILED)
  })

  test.each(FORMATS)('because a proxy drops its end without an error, as %s', async (format) => {
    const bytesMax = 3_000_000
    const proxy = await startProxy(server.url, (_, body) => {
      return { bytesMax: body.includes('100000000') ? bytesMax : Number.POSITIVE_INFINITY }
    })
    const cut = { ...FAILED, cause: { message: expect.stringContaining('without its trailer') } }
    const engine = await open([proxy])
    expect(await read(engine, query(long, format))).toMatchObject({ error: cut })
  })

  test.each([0, 1, 3, 40, 90])('because a proxy passes %i bytes of a look-up', async (bytesMax) => {
    const proxy = await startProxy(server.url, (_, body) => {
      return { bytesMax: body.includes('numbers(10)') ? bytesMax : Number.POSITIVE_INFINITY }
    })
    const engine = await open([proxy])
    const asked = { sql: 'SELECT number AS n FROM numbers(10)', parameters: {} }
    await expect(readRows(engine, z.unknown(), asked)).rejects.toMatchObject(FAILED)
    expect(await readRows(await open([server.url]), z.unknown(), asked)).toHaveLength(10)
  })

  test('because a proxy drops a grant of the role for reports', async () => {
    const proxy = await startProxy(server.url, (_, body) => {
      return { bytesMax: body.includes('SHOW GRANTS FOR') ? 60 : Number.POSITIVE_INFINITY }
    })
    const message = expect.stringContaining('without its trailer')
    await expect(open([proxy])).rejects.toMatchObject({ code: 'ledger', message })
  })
})

test('a reader may pause for longer than the server’s own time-out', async () => {
  const engine = await open([server.url])
  const sql = "SELECT repeat('x', 1000) AS _row FROM numbers(50000)"
  const chunks = await engine.stream(query(sql), NEVER)
  let rows = (await chunks.next()).value?.rows ?? 0
  await sleep(3_000)
  for await (const chunk of chunks) rows += chunk.rows
  expect(rows).toBe(50_000)
})

describe('a query that is left', () => {
  test('on a server that hangs frees its place after some seconds', async () => {
    const hanging = await startServer()
    const engine = await open([hanging.url, server.url])
    const chunks = await engine.stream(query(long), NEVER)
    await chunks.next()
    hanging.freeze()
    const startMs = performance.now()
    await chunks.return()
    const waitedMs = performance.now() - startMs
    expect(waitedMs).toBeGreaterThan(LIMITS.serverKillWaitMs * 0.9)
    await hanging.kill()
    expect((await read(engine, query("SELECT 'x' AS _row"))).text).toBe('x')
  })

  test('ends on the server', async () => {
    const engine = await open([server.url])
    const left = query('SELECT toString(number) AS _row FROM numbers(123456789012)')
    for await (const _ of await engine.stream(left, NEVER)) break
    const sql = "SELECT count() FROM system.processes WHERE query LIKE '%numbers(123456789012)%'"
    // The counting query counts itself.
    await vi.waitFor(async () => expect(await server.run(sql)).toBe('1\n'))
  })
})

test.each([
  ['before its first byte', "throwIf(1, repeat('x', 100000))"],
  ['after its first byte', "throwIf(number = 1999999, repeat('x', 100000))"],
])('an error %s is kept in its first characters', async (_, thrown) => {
  const engine = await open([server.url])
  const sql = `SELECT toString(${thrown}) AS _row FROM numbers(2000000)`
  const { error } = await read(engine, query(sql))
  const { length } =
    error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  expect(length).toBeGreaterThan(10_000)
  expect(length).toBeLessThanOrEqual(LIMITS.serverErrorLengthMax)
})

test('a query that needs more memory than the user has left is refused for now', async () => {
  const limits = { queryBytesMax: 1024 ** 3, engineBytesMax: 100 * 1024 ** 2 }
  const engine = await open([server.url], limits)
  const sql = 'SELECT toString(length(groupArray(number))) AS _row FROM numbers(30000000)'
  // The server keeps the higher limit of an earlier test until no query of the user runs.
  await vi.waitFor(async () => {
    expect((await read(engine, query(sql))).error).toMatchObject({ code: 'engine-busy' })
  }, 60_000)
})

describe('several servers', () => {
  test('are asked in turn until one answers', async () => {
    const dying = await startServer()
    const engine = await open([dying.url, server.url])
    const slow = read(engine, query('SELECT toString(1 + sleep(2)) AS _row'))
    await vi.waitFor(async () => {
      expect(
        await dying.run("SELECT count() FROM system.processes WHERE query LIKE '%1 + sleep(2)%'"),
      ).toBe('2\n')
    })
    await dying.kill()
    expect(await slow).toEqual({ text: '1', rows: 1, error: undefined })
    expect((await read(engine, query("SELECT 'x' AS _row"))).text).toBe('x')
  })

  test('do not repeat a statement that may have run', async () => {
    const dying = await startServer()
    const engine = await open([dying.url, server.url])
    await server.run('CREATE TABLE inserted (n Int32) ENGINE = Memory')
    await dying.run('CREATE TABLE inserted (n Int32) ENGINE = Memory')
    const statement = engine.execute('INSERT INTO inserted SELECT 1 + sleep(2)')
    statement.catch(() => {})
    await sleep(500)
    await dying.kill()
    await expect(statement).rejects.toMatchObject({ code: 'engine-busy' })
    expect(await server.run('SELECT count() FROM inserted')).toBe('0\n')
    await engine.execute('INSERT INTO inserted SELECT 1')
    expect(await server.run('SELECT count() FROM inserted')).toBe('1\n')
  })
})

describe('a server is refused at the start', () => {
  test.each<[string, Parameters<typeof open>[1], string]>([
    [
      'if its user has rights without a role',
      { login: { user: 'default', password: '' } },
      'rights without a role',
    ],
    [
      'if the role for reports lacks a table',
      { reportColumns: { ...READABLE, more: ['b', 'a'] } },
      'Run: GRANT SELECT(a, b) ON default.more TO counterfoil_report',
    ],
    [
      'if the role for reports may read one table too many',
      { reportColumns: {} },
      'Revoke it: GRANT SELECT(n) ON default.readable',
    ],
    ['if it lacks a column', { reportColumns: { readable: ['n', 'm'] } }, 'GRANT SELECT(m, n)'],
    [
      'if the password is wrong',
      { login: { ...USER, password: 'other' } },
      'Authentication failed',
    ],
  ])('%s', async (_, change, reason) => {
    const message = expect.stringContaining(reason)
    await expect(open([server.url], change)).rejects.toMatchObject({ code: 'ledger', message })
  })

  test('if it does not mark errors in a result', async () => {
    const old = await startProxy(server.url, (headers) => {
      delete headers['x-clickhouse-exception-tag']
      return { bytesMax: Number.POSITIVE_INFINITY }
    })
    const message = expect.stringContaining('Use ClickHouse 25.11 or newer')
    await expect(open([old])).rejects.toMatchObject({ code: 'ledger', message })
  })
})

describe('over TLS', () => {
  test('the certificate must be of the authority', async () => {
    const { url, ca } = await startTls()
    const engine = await open([url], { login: { ...USER, ca } })
    expect((await read(engine, query("SELECT 'x' AS _row"))).text).toBe('x')
    await engine.execute('SELECT 1 FORMAT Null')
    const message = expect.stringContaining('certificate')
    await expect(open([url])).rejects.toMatchObject({ code: 'ledger', message })
  })
})
