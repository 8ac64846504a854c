import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeClocks } from '../../test/kit/clock-contract.ts'
import { describeStore } from '../../test/kit/store-contract.ts'
import { raceStoreProcesses } from '../../test/kit/store-processes.ts'
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

  test('is spent for one of two processes only', async () => {
    const outcomes = await raceStoreProcesses(
      file,
      2,
      `for (let at = 0; at < 50; at++) {
         const use = { consumerKey: 'shop', timestampSeconds: ${NOW}, nonce: 'n' + at }
         if (await store.spendNonce(use, ${NOW}) === 'spent') console.log(at)
       }`,
    )
    const numbers = outcomes.flatMap((lines) => lines.split('\n').filter((line) => line !== ''))
    expect(numbers.map(Number).toSorted((a, b) => a - b)).toEqual([...Array(50).keys()])
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
