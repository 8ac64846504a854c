import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeEngine } from '../../test/kit/engine-contract.ts'
import { openEmbeddedEngine } from './embedded.ts'

const OPTIONS = {
  sessions: 1,
  queueLength: 8,
  queueWaitMs: 60_000,
  querySeconds: 20,
  queryBytesMax: 256 * 1024 ** 2,
  engineBytesMax: 1024 ** 3,
  reportColumns: {},
}

let directory: string
beforeAll(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'counterfoil-')), 'ledger')
})
afterAll(() => rmSync(join(directory, '..'), { recursive: true }))

describe('the embedded engine', () => {
  describeEngine((options) => openEmbeddedEngine({ ...OPTIONS, ...options, directory }))
})

test('refuses to open when the thread pool is too small for the sessions', async () => {
  vi.stubEnv('UV_THREADPOOL_SIZE', '11')
  const open = () => openEmbeddedEngine({ ...OPTIONS, sessions: 4, directory })
  await expect(open()).rejects.toThrow(
    'expected UV_THREADPOOL_SIZE of at least 13 for 5 sessions, got 11',
  )
  vi.unstubAllEnvs()
})

test('an engine whose sessions are taken can be reached', async () => {
  const engine = await openEmbeddedEngine({ ...OPTIONS, queueLength: 0, directory })
  const signal = new AbortController().signal
  const settings = {}
  const asked = { sql: 'SELECT 1', parameters: {}, settings, format: 'CSV', role: 'owner' } as const
  const held = await engine.stream(asked, signal)
  await expect(engine.stream(asked, signal)).rejects.toMatchObject({ code: 'engine-busy' })
  await engine.probe(signal)
  for await (const _ of held);
  await engine.close()
})

test('an engine that has a ledger open refuses a second ledger and names its folder', async () => {
  const engine = await openEmbeddedEngine({ ...OPTIONS, directory })
  const elsewhere = join(directory, '..', 'other')
  const open = openEmbeddedEngine({ ...OPTIONS, directory: elsewhere })
  await expect(open).rejects.toThrow(`Cannot open the ledger in ${elsewhere}`)
  await engine.close()
})
