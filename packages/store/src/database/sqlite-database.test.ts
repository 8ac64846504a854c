import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { holdSqlite } from './sqlite-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a backup ends, though another connection writes all the time', async () => {
  const file = join(folder, 'store.sqlite')
  const writer = new DatabaseSync(file)
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE filling (bytes BLOB)')
  const insert = writer.prepare('INSERT INTO filling VALUES (randomblob(1000000))')
  for (let megabytes = 0; megabytes < 30; megabytes += 1) insert.run()
  const small = writer.prepare('INSERT INTO filling VALUES (1)')
  const writing = setInterval(() => small.run(), 1)
  const target = join(folder, 'copy.sqlite')
  const held = holdSqlite(file)
  await held.copy(target)
  held.close()
  clearInterval(writing)
  writer.close()
  const copy = new DatabaseSync(target)
  expect(copy.prepare('SELECT count(*) AS rows FROM filling').get()?.['rows']).toBeGreaterThan(29)
  expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  copy.close()
})

test('a copy is of the moment that was held, and not of a later one', async () => {
  const writer = new DatabaseSync(join(folder, 'moments.sqlite'))
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE filling (bytes BLOB)')
  const insert = writer.prepare('INSERT INTO filling VALUES (randomblob(10000))')
  insert.run()
  const held = holdSqlite(join(folder, 'moments.sqlite'))
  insert.run()
  const target = join(folder, 'moment.sqlite')
  await held.copy(target)
  held.close()
  insert.run()
  const copy = new DatabaseSync(target)
  expect(copy.prepare('SELECT count(*) AS rows FROM filling').get()?.['rows']).toBe(1)
  copy.close()
  expect(writer.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
  writer.close()
})
