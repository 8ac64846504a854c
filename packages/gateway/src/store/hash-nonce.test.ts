import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { MIGRATIONS } from './migrations.ts'
import { openSqliteStore } from './sqlite-store.ts'

const NOW = 1_795_216_694

test('the store has no nonce as it was sent, and knows those of the version before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'store.sqlite')
  const before = new DatabaseSync(file)
  before.exec(MIGRATIONS.slice(0, 3).join(''))
  before.exec(`PRAGMA user_version = 3;
    INSERT INTO nonces VALUES ('shop', ${NOW}, '4111111111111111')`)
  before.close()
  const store = openSqliteStore(file)
  const spend = (nonce: string) => {
    return store.spendNonce({ consumerKey: 'shop', timestampSeconds: NOW, nonce }, NOW)
  }
  expect(await spend('4111111111111111')).toBe('replayed')
  expect(await spend('5555555555554444')).toBe('spent')
  expect(await spend('5555555555554444')).toBe('replayed')
  await store.close()
  const database = new DatabaseSync(file, { readOnly: true })
  const nonces = database.prepare('SELECT nonce FROM nonces').all()
  database.close()
  const hash = expect.stringMatching(/^[\w-]{43}$/)
  expect(nonces).toEqual([{ nonce: hash }, { nonce: hash }])
})
