import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { MasterKeys } from '../../../store/src/keys/seal.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { openSqliteStore } from '../../../store/src/store/open-store.ts'
import { openManifestKeys } from './manifest-keys.ts'

/** The master keys of a gateway that has one version. */
function masterKeysOf(version: number): MasterKeys {
  return { keys: new Map([[version, createSecretKey(randomBytes(32))]]), newestVersion: version }
}

test('shows the key of another gateway after a while', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const store = openSqliteStore(join(folder, 'store.sqlite'))
  onTestFinished(async () => {
    vi.useRealTimers()
    await store.close()
    rmSync(folder, { recursive: true })
  })
  vi.useFakeTimers()
  const open = async (version: number) => {
    return await openManifestKeys(store.signingKeys, masterKeysOf(version), new Date())
  }
  const first = await open(1)
  expect((await first.jwks()).keys).toHaveLength(1)
  const second = await open(2)
  expect((await second.jwks()).keys).toHaveLength(2)
  expect((await first.jwks()).keys).toHaveLength(1)
  vi.advanceTimersByTime(LIMITS.jwksCacheMs)
  expect(await first.jwks()).toEqual(await second.jwks())
})

test('shows the last keys while the store is away', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let isAway = false
  const list = vi.fn<() => Promise<[]>>(async () => {
    if (isAway) throw new Error('away')
    return []
  })
  const signingKeys = { list, add: async (key: object) => [Object(key)] }
  const keys = await openManifestKeys(signingKeys, masterKeysOf(1), new Date())
  isAway = true
  expect((await keys.jwks()).keys).toHaveLength(1)
  expect(list).toHaveBeenCalledTimes(2)
})
