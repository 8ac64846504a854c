import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeClocks } from '../../test/contract/clock-contract.ts'
import { describeStore } from '../../test/contract/store-contract.ts'
import { makeLogin, publicKey } from '../../test/contract/store-kit.ts'
import { raceStoreProcesses, startStoreProcess } from '../../test/contract/store-processes.ts'
import { openSqliteStore } from './open-store.ts'
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
    const place = join(own, 'store.sqlite')
    return {
      open: async () => openSqliteStore(place),
      deleteOperations: async (where: string) =>
        change(`DELETE FROM operations WHERE ${where}`, place),
      remove: async () => rmSync(own, { recursive: true }),
    }
  }
  describeStore(makePlace)
  describe('to a clock that jumps', () => {
    describeClocks(makePlace, 5)
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

  test('is stored as a hash, for a caller may send a card number', async () => {
    const nonce = '4111111111111111'
    expect(await spend(NOW, nonce)).toBe('spent')
    expect(await spend(NOW, nonce)).toBe('replayed')
    const hash = expect.stringMatching(/^[\w-]{43}$/)
    expect(read('SELECT nonce FROM nonces')).toEqual([{ nonce: hash }])
  })

  const countNonces = () => read('SELECT nonce FROM nonces').length
})

describe('a login', () => {
  test('whose scope was changed by hand to one that the gateway does not know is an error', async () => {
    await store.addLogin(makeLogin('shop'))
    expect(() => change("UPDATE logins SET role = 'everyone'")).toThrow('CHECK constraint failed')
    change("UPDATE logins SET sees = '[17]'")
    await expect(store.findLogin('shop')).rejects.toThrow('expected string')
  })
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

function read(sql: string): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare(sql).all()
  database.close()
  return rows
}

function change(sql: string, place = file): void {
  const database = new DatabaseSync(place)
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}

describe('keys of several processes', { tags: ['long'] }, () => {
  beforeEach(() => store.addLogin(makeLogin('shop')))

  test('stay two when six processes add one each at the same moment', async () => {
    const outcomes = await raceStoreProcesses(
      file,
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

describe('a nonce of several processes', { tags: ['long'] }, () => {
  test('is spent for one of six processes only', async () => {
    const outcomes = await raceStoreProcesses(
      file,
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
    const child = startStoreProcess(
      file,
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
    for (const nonce of whole)
      expect(
        await store.spendNonce({ consumerKey: 'shop', timestampSeconds: NOW, nonce }, NOW),
      ).toBe('replayed')
  })
})

describe('the file of several processes', { tags: ['long'] }, () => {
  test('is made once when several processes open it at the same moment', async () => {
    const outcomes = await raceStoreProcesses(
      file,
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
})
