import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { freeMemory } from '@counterfoil/common'
import { type Engine, type EngineQuery, readRows } from '../src/engine/engine.ts'
import { queryKit } from './query-kit.ts'

/** The options of an engine that the contract opens. */
export interface ContractOptions {
  readonly querySeconds: number
  readonly queryBytesMax: number
  /** The columns that the role `report` may read, by table. */
  readonly reportColumns: Readonly<Record<string, readonly string[]>>
}

const NEVER = new AbortController().signal
const OPTIONS = {
  querySeconds: 20,
  queryBytesMax: 256 * 1024 ** 2,
  reportColumns: { readable: ['n'] },
} as const satisfies ContractOptions

const DENIED = { cause: { message: expect.stringContaining('Not enough privileges') } }

/**
 * Tests the contract of `Engine`, for any engine.
 *
 * @param open opens an engine on the same data with each call
 */
export function describeEngine(open: (options: ContractOptions) => Promise<Engine>): void {
  let engine: Engine
  beforeAll(async () => {
    engine = await open(OPTIONS)
  })
  afterAll(async () => await engine.close())
  const { query, read } = queryKit(() => engine)

  describe('a stream', () => {
    test('arrives in many chunks, and counts its rows', async () => {
      const { text, rows, chunks } = await read(query('SELECT number AS n FROM numbers(50000)'))
      const numbers = Array.from({ length: 50_000 }, (_, number) => number)
      expect(text).toBe(`${numbers.join('\n')}\n`)
      expect(rows).toBe(50_000)
      expect(chunks).toBeGreaterThan(2)
    })

    test('gives its reader the memory of each chunk', async () => {
      const sql = "SELECT repeat('x', 1000) || toString(number) AS n FROM numbers(3000)"
      const expected = Array.from(
        { length: 3000 },
        (_, number) => `"${'x'.repeat(1000)}${number}"\n`,
      )
      let text = ''
      for await (const { bytes } of await engine.stream(query(sql), NEVER)) {
        text += Buffer.from(bytes).toString()
        freeMemory(bytes)
      }
      expect(text === expected.join('')).toBe(true)
    })

    test('does not change after it was planned', async () => {
      await engine.execute('CREATE TABLE growing (n UInt64) ENGINE = MergeTree ORDER BY n')
      await engine.execute('INSERT INTO growing SELECT number FROM numbers(20000)')
      const isPlanned = Promise.withResolvers<void>()
      const all = query('SELECT n FROM growing ORDER BY n')
      const chunks = await engine.stream(all, NEVER, () => isPlanned.resolve())
      await isPlanned.promise
      await engine.execute('INSERT INTO growing SELECT number FROM numbers(7)')
      let text = ''
      for await (const { bytes } of chunks) text += Buffer.from(bytes).toString()
      expect(text.match(/\n/g)).toHaveLength(20_000)
      expect(await read(all)).toMatchObject({ rows: 20_007 })
      await engine.execute('DROP TABLE growing')
    })

    test('without rows is empty', async () => {
      expect(await read(query("SELECT '' AS a, 1 AS b WHERE 0"))).toMatchObject({
        text: '',
        rows: 0,
      })
    })

    test('passes every value unchanged', async () => {
      const texts = [
        "it's",
        '%41+&=\r\n--',
        'back\\slash',
        '"',
        '\n\r\t\0',
        '\\N',
        '{a:String}',
        '😀',
        '',
      ]
      const row = z.object({ one: z.string(), all: z.array(z.string()) })
      for (const one of texts) {
        const sql = 'SELECT {one:String} AS one, {all:Array(String)} AS all'
        expect(await readRows(engine, row, { sql, parameters: { one, all: texts } })).toEqual([
          { one, all: texts },
        ])
      }
    })
  })

  describe('a query that fails', () => {
    const OK = { text: '1\n' }
    const next = query('SELECT 1 AS a')

    test.each([
      ['before its first byte', "SELECT throwIf(number = 0, 'why') AS x FROM numbers(10)"],
      ['in the middle', "SELECT throwIf(number = 19999, 'why') AS x FROM numbers(20000)"],
      ['in its syntax', 'SELEC 1'],
      ['for a missing table', 'SELECT * FROM nowhere'],
    ])('%s hides the engine’s text, and does not affect the next query', async (_, sql) => {
      await expect(read(query(sql))).rejects.toMatchObject({
        code: 'engine-failed',
        message: 'The engine failed to run the report.',
        cause: { message: expect.stringContaining('DB::Exception') },
      })
      expect(await read(next)).toMatchObject(OK)
    })

    test('from a lack of memory or time says that it is too much', async () => {
      const tooMuch = { code: 'engine-limit', message: expect.stringContaining('shorter period') }
      const sort = 'SELECT number AS n FROM numbers(100000000) ORDER BY cityHash64(number)'
      await expect(read(query(sort))).rejects.toMatchObject(tooMuch)
      expect(await read(next)).toMatchObject(OK)
      const settings = { max_execution_time: 0.2 }
      const slow = 'SELECT max(cityHash64(number)) AS n FROM numbers(100000000000)'
      await expect(read(query(slow, { settings }))).rejects.toMatchObject(tooMuch)
      expect(await read(next)).toMatchObject(OK)
    })

    test('because its reader leaves has the reader’s reason, at once', async () => {
      for (const afterMs of [0, 1, 5, 20, 100]) {
        const leaving = new AbortController()
        const slow = 'SELECT max(cityHash64(number)) AS secret FROM numbers(100000000000)'
        const left = engine.stream(query(slow), leaving.signal)
        setTimeout(() => leaving.abort(new Error('gone')), afterMs)
        await expect(left).rejects.toThrow('gone')
        expect(await read(next)).toMatchObject(OK)
      }
    })

    test('frees its session if its reader leaves between two chunks', async () => {
      const long = query('SELECT number AS secret FROM numbers(100000000)')
      for await (const _ of await engine.stream(long, NEVER)) break
      expect(await read(next)).toMatchObject(OK)
      const leaving = new AbortController()
      const unread = await engine.stream(long, leaving.signal)
      leaving.abort()
      expect(await read(next)).toMatchObject(OK)
      await unread.return()
      expect(await read(next)).toMatchObject(OK)
    })

    test('frees its session once, even if it is read after its reader has left', async () => {
      const leaving = new AbortController()
      const late = await engine.stream(
        query('SELECT number FROM numbers(100000000)'),
        leaving.signal,
      )
      leaving.abort(new Error('gone'))
      await expect(late.next()).rejects.toThrow('gone')
      for (let turn = 0; turn < 3; turn += 1) expect(await read(next)).toMatchObject(OK)
    })

    test('as a statement ends when its signal aborts', async () => {
      const leaving = new AbortController()
      const sql = 'SELECT max(cityHash64(number)) FROM numbers(100000000000)'
      const statement = engine.execute(sql, {}, leaving.signal)
      setTimeout(() => leaving.abort(new Error('gone')), 50)
      await expect(statement).rejects.toThrow('gone')
      await engine.execute('SELECT 1')
    })

    test('as a statement is an error too', async () => {
      const code = 'engine-failed'
      await expect(engine.execute('CREATE NONSENSE')).rejects.toMatchObject({ code })
      await engine.execute('CREATE TABLE made (a String) ENGINE = Memory')
      await engine.execute("INSERT INTO made VALUES ({a:String} || '!')", { a: "it's" })
      expect((await read(query('SELECT a FROM made'))).text).toBe('"it\'s!"\n')
    })
  })

  test('the engine does not compute an unread result in advance', async () => {
    const endless = query('SELECT number FROM numbers(1000000000)')
    const chunks = await engine.stream(endless, NEVER)
    await chunks.next()
    const readRowsOf = async (): Promise<number> => {
      const sql =
        "SELECT read_rows AS n FROM system.processes WHERE query LIKE '%numbers(1000000000)%'"
      const other = await open(OPTIONS)
      const row = z.object({ n: z.coerce.number() })
      const running = await readRows(other, row, { sql, parameters: {} })
      await other.close()
      return Math.max(...running.map(({ n }) => n))
    }
    // A server first fills the buffers of the connection.
    await vi.waitFor(async () => {
      const before = await readRowsOf()
      await sleep(300)
      expect(await readRowsOf()).toBe(before)
      expect(before).toBeLessThan(10_000_000)
    }, 60_000)
    await chunks.return()
  })

  describe('the role of a report', () => {
    beforeAll(async () => {
      for (const name of ['readable', 'hidden']) {
        await engine.execute(`CREATE TABLE ${name} (n Int32) ENGINE = MergeTree ORDER BY n`)
        await engine.execute(`INSERT INTO ${name} VALUES (7)`)
      }
    })

    test('reads its tables, and the owner then reads all tables', async () => {
      const own = query('SELECT n FROM readable', { role: 'report' })
      expect(await read(own)).toMatchObject({ rows: 1 })
      const hidden = query('SELECT n FROM hidden')
      expect(await read(hidden)).toMatchObject({ rows: 1 })
      await expect(read({ ...hidden, role: 'report' })).rejects.toMatchObject(DENIED)
      expect(await read(hidden)).toMatchObject({ rows: 1 })
    })

    test.each([
      'SELECT _part FROM readable',
      'SELECT `a b`._part_offset FROM readable AS `a b`',
      'SELECT count() FROM readable AS a JOIN readable AS b USING (_block_number)',
    ])('reads no column of the engine: %s', async (sql) => {
      expect(await read(query(sql))).toMatchObject({ rows: 1 })
      await expect(read(query(sql, { role: 'report' }))).rejects.toMatchObject(DENIED)
    })

    test.each([
      'INSERT INTO readable VALUES (8)',
      "SELECT * FROM file('/etc/hostname', LineAsString)",
      'CREATE TABLE more (n Int32) ENGINE = Memory',
    ])('may not run %s', async (sql) => {
      await expect(read(query(sql, { role: 'report' }))).rejects.toMatchObject({
        code: 'engine-failed',
      })
      expect(await read(query('SELECT count() FROM readable'))).toMatchObject({ text: '1\n' })
    })
  })

  test('the value of a setting cannot end its quotes', async () => {
    for (const none of ["'", '\\', ';', '|']) {
      const settings = { format_csv_null_representation: none }
      const { text } = await read(query("SELECT NULL AS a, 'y' AS b", { settings }))
      expect(text).toBe(`${none},"y"\n`)
    }
  })

  test('closing ends running queries in every state', async () => {
    const other = await open(OPTIONS)
    const reading = await other.stream(query('SELECT number FROM numbers(1000000000)'), NEVER)
    await reading.next()
    const slow = 'SELECT max(cityHash64(number)) FROM numbers(100000000000)'
    const unborn = other.stream(query(slow), NEVER)
    unborn.catch(() => {})
    await vi.waitFor(async () => {
      const sql =
        "SELECT 1 AS a FROM system.processes WHERE query LIKE '%max(cityHash64%' AND query NOT LIKE '%processes%'"
      expect((await read(query(sql))).rows).toBe(1)
    })
    const closed = other.close()
    await expect(unborn).rejects.toMatchObject({ code: 'engine-failed' })
    const drained = async () => {
      for await (const _ of reading);
    }
    await expect(drained()).rejects.toMatchObject({ code: 'engine-failed' })
    await closed
    const late = other.stream(query('SELECT 1'), NEVER)
    await expect(late).rejects.toMatchObject({ code: 'shutting-down' })
    expect((await read(query('SELECT 1 AS a'))).rows).toBe(1)
  })

  test('a slow sub-select blocks no other query', async () => {
    const parallel = await open(OPTIONS)
    await parallel.execute('CREATE TABLE keyed (key UInt64) ENGINE = MergeTree ORDER BY key')
    await parallel.execute('INSERT INTO keyed VALUES (1)')
    const slow = query('SELECT key AS a FROM keyed WHERE key IN (SELECT 1 + sleep(2))')
    const ended: string[] = []
    const run = async (name: string, asked: EngineQuery): Promise<void> => {
      for await (const _ of await parallel.stream(asked, NEVER));
      ended.push(name)
    }
    const quick = query('SELECT 1 AS a')
    const others = ['one', 'two', 'three'].map((name) => [name, quick] as const)
    await Promise.all([run('slow', slow), ...others.map(([name, asked]) => run(name, asked))])
    expect(ended.at(-1)).toBe('slow')
    await parallel.execute('DROP TABLE keyed')
    await parallel.close()
  })

  test('reads the memory of a running query', async () => {
    const parallel = await open(OPTIONS)
    const sorted = query('SELECT number AS n FROM numbers(5000000) ORDER BY cityHash64(number)')
    const chunks = await parallel.stream(sorted, NEVER)
    await chunks.next()
    expect(await parallel.readMemory(NEVER)).toBeGreaterThan(32 * 1024 ** 2)
    await chunks.return()
    await parallel.close()
  })

  test('kills a query whose reader leaves before the engine has started it, and does not wait for its time limit', async () => {
    const limitMs = 120_000
    const limits = { querySeconds: limitMs / 1000 }
    const crowded = await open({ ...OPTIONS, ...limits })
    const columns = Array.from({ length: 400 }, (_, index) => `number * ${index} AS c${index}`)
    const long = query(`SELECT ${columns.join(', ')} FROM numbers(1)`)
    const slow = query('SELECT max(cityHash64(number)) FROM numbers(100000000000)')
    const startMs = performance.now()
    for (const afterMs of [0, 5, 20]) {
      // These keep the engine busy for a while.
      const planned = Array.from({ length: 6 }, async () => {
        for await (const _ of await crowded.stream(long, NEVER));
      })
      const left = [slow, slow].map(async (asked) => {
        const leaving = new AbortController()
        setTimeout(() => leaving.abort(new Error('gone')), afterMs)
        await expect(crowded.stream(asked, leaving.signal)).rejects.toThrow('gone')
      })
      await Promise.all([...planned, ...left])
    }
    await crowded.close()
    expect(performance.now() - startMs).toBeLessThan(limitMs / 2)
  })
}
