import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { openKeys } from './open-keys.ts'

test('makes all gateways with the oldest master key choose the same stand-ins', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const file = join(folder, 'store.sqlite')
  const [first, second, other] = [1, 2, 3].map(() => randomBytes(32).toString('base64'))
  const choose = async (...masterKeys: readonly (string | undefined)[]) => {
    const store = openSqliteStore(file)
    const sources = masterKeys.map((_, index) => {
      return { version: index + 1, environment: `KEY_${index}` }
    })
    const entries = masterKeys.map((key, index) => [`KEY_${index}`, key] as const)
    await openKeys(store, sources, Object.fromEntries(entries))
    const names = Array.from({ length: 100 }, (_, index) => `nobody-${index}`)
    const chosen = names.map((name) => store.findStandIn(name, undefined)?.name)
    await store.close()
    return chosen
  }
  const store = openSqliteStore(file)
  for (const name of ['a', 'b', 'c']) {
    const login = { role: 'merchant', sees: [1], bodyHashRequired: false } as const
    await store.addLogin({ ...login, name, createdAt: new Date() })
  }
  await store.close()
  const chosen = await choose(first)
  expect(await choose(first)).toEqual(chosen)
  expect(await choose(first, second)).toEqual(chosen)
  expect(await choose(other)).not.toEqual(chosen)
  rmSync(folder, { recursive: true })
})
