import { expect, test } from 'vitest'
import type { Queries } from '../../../engine/src/engine/engine.ts'
import { LedgerChanges } from '../changes/ledger-changes.ts'
import { createImports } from './imports.ts'

/** An engine without import tables, whose queries fail while `failure` is set. */
const state: { failure: Error | undefined } = { failure: undefined }
const engine: Queries = {
  stream: async () => {
    if (state.failure) throw state.failure
    return (async function* () {})()
  },
  execute: async () => {},
  insert: async () => {},
  loadTimeZone: async (timezone) => timezone,
}
let now = 0
const changes = new LedgerChanges(() => {}, { now: () => now, lagMs: 0 })
const imports = createImports({ engine, changes, isShared: false })

test('imports run one after the other', async () => {
  await imports.begin()
  let hasBegun = false
  const second = imports.begin().then(() => (hasBegun = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasBegun).toBe(false)
  await imports.end()
  await second
  await imports.end()
})

test('an import whose process leaves does not wait, and keeps its place free', async () => {
  await imports.begin()
  const leaving = new AbortController()
  const left = imports.begin(leaving.signal)
  let hasBegun = false
  const third = imports.begin().then(() => (hasBegun = true))
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  expect(hasBegun).toBe(false)
  await imports.end()
  await third
  await imports.end()
})

test('an import that cannot begin keeps no other import from beginning', async () => {
  state.failure = new Error('no memory')
  await expect(imports.begin()).rejects.toThrow('no memory')
  state.failure = undefined
  await imports.begin()
  state.failure = new Error('no memory')
  await expect(imports.end()).rejects.toThrow('no memory')
  state.failure = undefined
  await imports.begin()
  await imports.end()
})

test('an import holds the watermark until its rows are in the ledger', async () => {
  now = 1_000
  await imports.begin()
  now = 2_000
  expect(changes.watermark()).toBe(999)
  state.failure = new Error('no memory')
  const record = {
    id: 1,
    source: 'own',
    files: [],
    taken: 1,
    unchanged: 0,
    older: 0,
    refused: 0,
    replaced: 0,
    isForced: false,
  }
  await expect(imports.commit({ ...record, table: 'merchants' })).rejects.toThrow('no memory')
  now = 3_000
  // The next import completes this one.
  await expect(imports.end()).rejects.toThrow('no memory')
  expect(changes.watermark()).toBe(999)
  await expect(imports.begin()).rejects.toThrow('no memory')
  expect(changes.watermark()).toBe(999)
  state.failure = undefined
  await imports.begin()
  expect(changes.watermark()).toBe(2_999)
  await imports.end()
})
