// @module-tag long

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { describeClocks } from '../../test/contract/clock-contract.ts'
import { type PostgresServer, startPostgres } from '../../../gateway/test/kit/postgres-server.ts'
import { openPostgresStore, openSqliteStore } from './open-store.ts'

describe('the promises of a store in SQLite to a clock that jumps', () => {
  describeClocks(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
    return {
      open: async () => openSqliteStore(join(folder, 'store.sqlite')),
      remove: async () => rmSync(folder, { recursive: true }),
    }
  }, 100)
})

describe('the promises of a store in PostgreSQL to a clock that jumps', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.remove())

  describeClocks(async () => {
    await postgres.clear()
    return { open: () => openPostgresStore(postgres.settings), remove: async () => {} }
  }, 20)
})
