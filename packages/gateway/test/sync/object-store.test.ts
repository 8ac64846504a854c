// @module-tag long

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../databases/src/index.ts'
import { openSyncKit } from './sync-kit.ts'

type SyncKit = Awaited<ReturnType<typeof openSyncKit>>

const ROOT = join(import.meta.dirname, '../../../..')
const TOOL = join(ROOT, 'scripts/test-databases')

/** The key of the object store. */
const OBJECT_STORE = { key: 'reports', secret: 'not/a+secret' } as const

const PROGRAM = `
const S3rver = require('@20minutes/s3rver')
const { DUMMY_ACCOUNT } = require('@20minutes/s3rver/lib/models/account')
DUMMY_ACCOUNT.createKeyPair('${OBJECT_STORE.key}', '${OBJECT_STORE.secret}')
new S3rver({
  port: 0, address: '127.0.0.1', silent: true, directory: process.argv[1], configureBuckets: [{ name: 'files' }],
}).run().then(({ port }) => console.log(port))`

/** Starts an object store with an empty bucket `files` in a new folder. It verifies signatures. */
async function startObjectStore() {
  execFileSync(process.execPath, [join(ROOT, 'scripts/install.js'), TOOL], { stdio: 'ignore' })
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const child = spawn(process.execPath, ['-e', PROGRAM, folder], {
    cwd: TOOL,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(child.stdout, 'data')
  return {
    host: `127.0.0.1:${String(port).trim()}`,
    remove: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

const HEAD = { query: 'SELECT * FROM files', changed: '_time' }
const SOURCE = {
  select: `SELECT _line, id AS transaction_id, 'sale' AS transaction_type, 'approved' AS status, created_at,
    amount, currency, 'm' AS merchant_id FROM file`,
}

let folder: string
let store: Awaited<ReturnType<typeof startObjectStore>>
let kit: SyncKit
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  writeFileSync(join(folder, 'secret'), `${OBJECT_STORE.secret}\n`, { mode: 0o600 })
  store = await startObjectStore()
  kit = await openKit(OBJECT_STORE.key)
})
afterAll(async () => {
  await kit.close()
  await store.remove()
  rmSync(folder, { recursive: true })
})

async function openKit(key: string): Promise<SyncKit> {
  const url = `s3://${key}@${store.host}/files/2026/*.parquet`
  return await openSyncKit({ url, passwordFile: join(folder, 'secret') })
}

/** Writes a file of some rows, whose amounts are cents. */
async function put(name: string, rows: string, cents = 'number * 100 + 5'): Promise<void> {
  const { key, secret } = OBJECT_STORE
  const url = `http://${store.host}/files/2026/${name}`
  await kit.engine.execute(`INSERT INTO FUNCTION s3('${url}', '${key}', '${secret}', 'Parquet')
    SELECT concat('p-', toString(number)) AS id, toDateTime64('2026-11-20 10:00:00.5', 6, 'UTC') AS created_at,
      toDecimal64(${cents}, 2) / 100 AS amount, 'EUR' AS currency FROM numbers(${rows})
    SETTINGS s3_truncate_on_insert = 1`)
}

test('a sync of Parquet files in an object store brings new, changed and deleted rows', async () => {
  await put('11-20.parquet', '0, 2')
  await put('11-21.parquet', '2, 1')
  expect(await kit.sync(HEAD, SOURCE)).toMatchObject({ judged: { taken: 3 }, refused: 0 })
  expect(await kit.sync(HEAD, SOURCE)).toMatchObject({ judged: undefined })

  await put('11-20.parquet', '1, 1', '950')
  await put('11-22.parquet', '3, 1')
  expect(await kit.sync(HEAD, SOURCE)).toMatchObject({ judged: { taken: 2 }, deleted: 1 })
  expect(await kit.payments()).toMatchObject([
    { id: 'p-1', amount: '9.5' },
    { id: 'p-2', amount: '2.05' },
    { id: 'p-3', amount: '3.05' },
  ])
  expect(await kit.times()).toContain('2026-11-20 10:00:00.500')
})

test('an object store that refuses the key fails the sync, and no error has the secret', async () => {
  const stranger = await openKit('stranger')
  try {
    const failed = await stranger.sync(HEAD, SOURCE).catch((error: unknown) => error)
    const texts = inspect([failed, await stranger.records()], { depth: 9 })
    expect(texts).toMatch(/the database shop: Code: 499.*AccessKeyId/)
    expect(texts).not.toContain(OBJECT_STORE.secret)
  } finally {
    await stranger.close()
  }
})

test('the list of running queries has no secret', async () => {
  const settings = { url: `s3://${OBJECT_STORE.key}@${store.host}/files/2026/*.parquet` }
  const own = { title: 'the database shop', passwordFile: join(folder, 'secret') }
  const database = await openDatabase({ ...settings, ...own }, kit.engine)
  const running = 'SELECT arrayJoin(groupArray((query, Settings))) FROM system.processes'
  const chunks: Uint8Array[] = []
  for await (const chunk of database.read(`SELECT q.* FROM (${running}) AS q, files`))
    chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  expect(text).toContain('s3(')
  expect(text).not.toContain(OBJECT_STORE.secret)
})
