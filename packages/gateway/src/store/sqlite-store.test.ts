import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeClocks } from '../../test/kit/clock-contract.ts'
import { controlKey, describeStore, makeLogin, publicKey } from '../../test/kit/store-contract.ts'
import { LIMITS } from '../limits.ts'
import { MIGRATIONS } from './migrations.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

const NOW = 1_800_000_000
const KEPT = 360

let folder: string
let file: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'data', 'store.sqlite')
  store = openSqliteStore(file)
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

describe('the promises of a store', () => {
  const makePlace = async () => {
    const own = mkdtempSync(join(tmpdir(), 'counterfoil-'))
    return {
      open: async () => openSqliteStore(join(own, 'store.sqlite')),
      remove: async () => rmSync(own, { recursive: true }),
    }
  }
  describeStore(makePlace)
  describe('to a clock that jumps', () => {
    describeClocks(makePlace, 100)
  })
})

describe('logins', () => {
  test('of whom there are more than are kept in mind are found all the same, as they are now', async () => {
    const database = new DatabaseSync(file)
    database.exec(`INSERT INTO consumers (login, role, sees, body_hash_required, created_at)
      WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${LIMITS.openKeysMax})
      SELECT 'shop-' || n, 'merchant', '[' || (n + 1) || ']', 0, 0 FROM numbers`)
    database.close()
    // One expectation for all: ten thousand of them take longer than the look-ups.
    const seen: unknown[] = []
    for (let at = 0; at <= LIMITS.openKeysMax; at += 1) {
      seen.push(...((await store.findLogin(`shop-${at}`))?.sees ?? ['unknown']))
    }
    expect(seen).toEqual(Array.from({ length: LIMITS.openKeysMax + 1 }, (_, at) => at + 1))
    for (const at of [0, LIMITS.openKeysMax]) {
      const name = `shop-${at}`
      const key = controlKey(`key-${at}`, name)
      await store.addKey(key)
      expect(await store.findLogin(name)).toMatchObject({ name, sees: [at + 1], keys: [key] })
    }
  })
})

describe('keys', () => {
  beforeEach(() => store.addLogin(makeLogin('shop')))

  test('stay two when six processes add one each at the same moment', async () => {
    const outcomes = await race(
      6,
      `const key = { ...JSON.parse(process.argv[2]), createdAt: new Date(0), keyId: name, fingerprint: name }
       await store.addKey(key).then(() => console.log('added'), (error) => console.log(error.code))`,
      JSON.stringify(publicKey('-')),
    )
    expect(outcomes.toSorted()).toEqual([
      ...Array(2).fill('added'),
      ...Array(4).fill('credentials'),
    ])
    expect((await store.findLogin('shop'))?.keys).toHaveLength(2)
  })
})

describe('a nonce', () => {
  const spend = (timestampSeconds: number, nonce: string, now = NOW, consumerKey = 'shop') =>
    store.spendNonce({ consumerKey, timestampSeconds, nonce }, now)

  test('is not kept for ever: a rush is forgotten bit by bit, and nothing of it opens meanwhile', async () => {
    const rush = Array.from({ length: 200 }, (_, index) => `n${index}`)
    for (const nonce of rush) expect(await spend(NOW, nonce)).toBe('spent')
    expect(countNonces()).toBe(200)

    expect(await spend(NOW + KEPT, 'a', NOW + KEPT)).toBe('spent')
    expect(await spend(NOW + KEPT, 'b', NOW + KEPT)).toBe('spent')
    expect(countNonces()).toBeGreaterThan(150)
    for (const nonce of rush) expect(await spend(NOW, nonce, NOW)).toBe('expired')

    for (let at = 1; at <= 20; at++) await spend(NOW + KEPT + at, 'a', NOW + KEPT + at)
    expect(countNonces()).toBe(22)
  })

  test('is remembered from a store of the version before, as is what that one has forgotten', async () => {
    const older = join(folder, 'older.sqlite')
    const database = new DatabaseSync(older)
    database.exec(MIGRATIONS.slice(0, 2).join(''))
    database.exec(`PRAGMA user_version = 2;
      INSERT INTO consumers VALUES ('shop', 'merchant', '[1]', 0, 0);
      INSERT INTO nonces VALUES (${NOW - 400}, 'gone', 'n'), (${NOW}, 'shop', 'n');
      DELETE FROM nonces WHERE login = 'gone'`)
    database.close()
    await store.close()
    store = openSqliteStore(older)
    expect(await spend(NOW, 'n')).toBe('replayed')
    expect(await spend(NOW - 400, 'n', NOW - 400)).toBe('expired')
    expect(await spend(NOW - 399, 'n', NOW - 399)).toBe('spent')
    expect(await spend(NOW - 400, 'n', NOW - 400, 'added later')).toBe('spent')
  })

  test('is spent for one of six processes only', async () => {
    const outcomes = await race(
      6,
      `for (let at = 0; at < 100; at++) {
         const use = { consumerKey: 'shop', timestampSeconds: ${NOW}, nonce: 'n' + at }
         if (await store.spendNonce(use, ${NOW}) === 'spent') console.log(at)
       }`,
    )
    const numbers = outcomes.flatMap((lines) => lines.split('\n').filter((line) => line !== ''))
    expect(numbers.map(Number).toSorted((a, b) => a - b)).toEqual([...Array(100).keys()])
  })

  test('that was spent stays spent after kill -9', async () => {
    const child = startProcess(
      `for (let at = 0; ; at++) {
         const nonce = 'n' + at
         await store.spendNonce({ consumerKey: 'shop', timestampSeconds: ${NOW}, nonce }, ${NOW})
         writeSync(1, nonce + '\\n')
       }`,
      'victim',
    )
    const printed: string[] = []
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed.push(chunk)
      if (printed.join('').split('\n').length > 100) child.kill('SIGKILL')
    })
    const [, signal] = await once(child, 'close')
    expect(signal).toBe('SIGKILL')

    // Opened anew: the store must not lean on what a process remembers.
    await store.close()
    store = openSqliteStore(file)
    const whole = printed.join('').split('\n').slice(0, -1)
    expect(whole.length).toBeGreaterThanOrEqual(100)
    for (const nonce of whole) expect(await spend(NOW, nonce)).toBe('replayed')
  })

  function countNonces(): unknown {
    const database = new DatabaseSync(file, { readOnly: true })
    const row = database.prepare('SELECT count(*) AS count FROM nonces').get()
    database.close()
    return row?.count
  }
})

describe('the file', () => {
  test('can be read by its owner only, with all that SQLite puts beside it', async () => {
    await store.spendNonce({ consumerKey: 'a', timestampSeconds: NOW, nonce: 'n' }, NOW)
    for (const suffix of ['', '-wal', '-shm']) {
      expect(statSync(file + suffix).mode & 0o777).toBe(0o600)
    }
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700)
  })

  test('that others could read is closed to them', async () => {
    const open = join(folder, 'open.sqlite')
    writeFileSync(open, '', { mode: 0o644 })
    await openSqliteStore(open).close()
    expect(statSync(open).mode & 0o777).toBe(0o600)
  })

  test('is made once when several processes open it at the same moment', async () => {
    const outcomes = await race(
      3,
      `for (let at = 0; at < 30; at++) {
         // The last milliseconds pass in a loop, so that all processes open the file in the same one.
         await setTimeout(Math.max(0, momentMs + 50 * at - Date.now() - 5))
         while (Date.now() < momentMs + 50 * at) {}
         const opened = openSqliteStore(${JSON.stringify(folder)} + '/' + at + '/store.sqlite')
         await opened.spendNonce({ consumerKey: 'a', timestampSeconds: ${NOW}, nonce: name }, ${NOW})
         await opened.close()
       }
       console.log('opened 30')`,
    )
    expect(outcomes).toEqual(Array(3).fill('opened 30'))
  })

  test('that a newer version has written is refused and left alone', () => {
    const newer = join(folder, 'newer.sqlite')
    const database = new DatabaseSync(newer)
    database.exec('PRAGMA user_version = 1000; CREATE TABLE t (a)')
    expect(() => openSqliteStore(newer)).toThrow('of a newer gateway')
    expect(database.prepare('PRAGMA user_version').get()?.user_version).toBe(1000)
    database.close()
  })

  test('that is no store is refused by name', () => {
    const other = join(folder, 'other.sqlite')
    writeFileSync(other, 'this is not a database, but a text that is long enough to be one')
    expect(() => openSqliteStore(other)).toThrow(`Cannot open the store ${other}`)
    expect(() => openSqliteStore(folder)).toThrow(`Cannot open the store ${folder}`)
  })
})

/** Runs a program with `store` and `name` in it in a process of its own, which opens the store at a given moment. */
function startProcess(
  program: string,
  name: string,
  argument = '',
  momentMs = 0,
): ChildProcessByStdio<null, Readable, null> {
  const source = `
    import { writeSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { openSqliteStore } from ${JSON.stringify(import.meta.resolve('./sqlite-store.ts'))}
    const name = process.argv[1]
    const momentMs = ${momentMs}
    await setTimeout(Math.max(0, momentMs - Date.now()))
    const store = openSqliteStore(${JSON.stringify(file)})
    ${program}`
  const options = ['--input-type=module', '--eval', source, name, argument]
  return spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Runs a program in several processes at once, and gives what each has printed. */
async function race(count: number, program: string, argument?: string): Promise<string[]> {
  const momentMs = Date.now() + 1_500
  const children = Array.from({ length: count }, (_, index) => {
    return startProcess(program, `p${index}`, argument, momentMs)
  })
  return await Promise.all(children.map(async ({ stdout }) => (await text(stdout)).trim()))
}
