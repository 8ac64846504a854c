// @module-tag long

import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type PostgresServer, startPostgres } from '../../../gateway/test/kit/postgres-server.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { type Database, rawSql, sql } from './database.ts'
import { connectPostgres, poolConfigOf } from './postgres-database.ts'

async function query(database: Database, text: string): Promise<readonly unknown[]> {
  return await database.all(z.looseObject({}), rawSql(text))
}

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.remove())

describe('a connection', () => {
  test('commits to the disk and reads what is committed, also if the database says otherwise', async () => {
    await postgres.query('ALTER DATABASE payments SET synchronous_commit = off')
    await postgres.query(
      "ALTER DATABASE payments SET default_transaction_isolation = 'repeatable read'",
    )
    const database = connectPostgres(poolConfigOf(postgres.settings, 1_000))
    const show = async (name: string) => await query(database, `SHOW ${name}`)
    expect(await show('synchronous_commit')).toEqual([{ synchronousCommit: 'on' }])
    expect(await show('transaction_isolation')).toEqual([
      { transactionIsolation: 'read committed' },
    ])
    await database.close()
    await postgres.query('ALTER DATABASE payments RESET ALL')
  })

  test('with TLS verifies the certificate and its host', async () => {
    const url = `${postgres.settings.url}?sslmode=verify-full`
    const caFile = postgres.certificate
    const select = async (change: object) => {
      const settings = { ...postgres.settings, url, caFile, ...change }
      const database = connectPostgres(poolConfigOf(settings, 1_000))
      const text = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
      return await query(database, text).finally(() => database.close())
    }
    expect(await select({})).toEqual([{ ssl: true }])
    expect(await select({ url: postgres.settings.url })).toEqual([{ ssl: false }])
    await expect(select({ caFile: undefined })).rejects.toMatchObject({
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    })
    await expect(select({ url: url.replace('127.0.0.1', 'localhost') })).rejects.toMatchObject({
      cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    })
  })

  test('uses TLS with every host that is not this machine', () => {
    const usesTls = (host: string) => {
      return poolConfigOf({ url: `postgres://gateway@${host}/payments` }, 0).ssl
    }
    expect(['localhost', '127.0.0.1:5433', '[::1]'].map(usesTls)).toEqual([false, false, false])
    expect(['db.example.com', '10.0.0.7'].map(usesTls)).toEqual([true, true])
    expect(usesTls('db/payments?sslmode=disable#')).toBe(false)
  })

  test('is one of few, however many statements run', async () => {
    const database = connectPostgres(poolConfigOf(postgres.settings, 5_000))
    const statements = Array.from({ length: 3 * LIMITS.storeConnectionsMax }, async () => {
      const [row] = await query(database, 'SELECT pg_sleep(0.1), pg_backend_pid() AS pid')
      return z.object({ pid: z.int() }).parse(row).pid
    })
    expect(new Set(await Promise.all(statements)).size).toBe(LIMITS.storeConnectionsMax)
    await database.close()
  })

  test('waits for a statement no longer than the time-out', async () => {
    const database = connectPostgres(poolConfigOf(postgres.settings, 200))
    const slow = query(database, 'SELECT pg_sleep(600)')
    await expect(slow).rejects.toMatchObject({ code: 'store-busy' })
    const idle = database.transaction('relay', async (transaction) => {
      await sleep(600)
      await transaction.run(sql`SELECT 1`)
    })
    await expect(idle).rejects.toMatchObject({ code: 'store-busy' })
    expect(await query(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await database.close()
  })

  test('passes if the server ends a transaction whose next statement came late', async () => {
    const database = connectPostgres(poolConfigOf(postgres.settings, 1_000))
    // The server's answer to a statement that it received after the time-out of the transaction.
    const late = query(
      database,
      "DO $$ BEGIN RAISE EXCEPTION 'late' USING ERRCODE = '25P03'; END $$",
    )
    await expect(late).rejects.toMatchObject({ code: 'store-busy' })
    await database.close()
  })

  test('waits for a server that does not answer no longer than the time-out', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const config = { ...poolConfigOf(postgres.settings, 200), port, connectionTimeoutMillis: 200 }
    const database = connectPostgres(config)
    await expect(query(database, 'SELECT 1')).rejects.toMatchObject({ code: 'store-busy' })
    await database.close()
    silent.close()
  })

  test('reads the password anew', async () => {
    const passwordFile = join(postgres.folder, 'new-password')
    writeFileSync(passwordFile, 'wrong', { mode: 0o600 })
    const database = connectPostgres(poolConfigOf({ ...postgres.settings, passwordFile }, 1_000))
    await expect(query(database, 'SELECT 1')).rejects.toMatchObject({ code: 'store' })
    copyFileSync(postgres.settings.passwordFile ?? '', passwordFile)
    expect(await query(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await database.close()
  })
})
