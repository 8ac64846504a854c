import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { Partitions } from './partitions.ts'

const TEXT = 'ж'.repeat(500)

afterEach(() => {
  vi.unstubAllEnvs()
})

test('returns all lines of a key together and in their order, also from its file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'partitions-'))
  vi.stubEnv('TMPDIR', folder)
  const partitions = new Partitions()
  const keys = 15_000
  for (const round of [0, 1, 2]) {
    for (let key = 0; key < keys; key += 1) {
      partitions.add(`order-${key}`, `${key} ${round} ${TEXT}`)
    }
  }
  // 45 MB of lines are more than the memory of the partitions, and the file has no name.
  expect(readdirSync(folder)).toEqual([])
  let found = 0
  for (const lines of partitions.read()) {
    const rounds = new Map<string, string>()
    for (const line of lines) {
      const [key = '', round = '', text] = line.split(' ')
      rounds.set(key, (rounds.get(key) ?? '') + (text === TEXT ? round : '?'))
    }
    expect([...rounds.values()].filter((order) => order !== '012')).toEqual([])
    found += rounds.size
  }
  expect(found).toBe(keys)
  partitions.close()
  rmSync(folder, { recursive: true })
})

test('says where it cannot write', () => {
  vi.stubEnv('TMPDIR', '/nowhere/at-all')
  const partitions = new Partitions()
  const fill = () => {
    for (let line = 0; line < 100; line += 1) partitions.add('key', 'x'.repeat(1000))
  }
  expect(fill).toThrow(
    /^cannot write to \/nowhere\/at-all: ENOENT: .*; name another folder .* TMPDIR$/,
  )
})
