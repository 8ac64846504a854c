// @module-tag long

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeLogin, publicKey } from '../../test/kit/store-contract.ts'
import { raceStoreProcesses, startStoreProcess } from '../../test/kit/store-processes.ts'
import { openSqliteStore } from './open-store.ts'
import type { Store } from './store.ts'

const NOW = 1_800_000_000

let folder: string
let file: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'data', 'store.sqlite')
  store = openSqliteStore(file)
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

describe('keys', () => {
  beforeEach(() => store.addLogin(makeLogin('shop')))

  test('stay two when six processes add one each at the same moment', async () => {
    const outcomes = await raceStoreProcesses(
      file,
      6,
      `const key = { ...JSON.parse(process.argv[2]), createdAt: new Date(0), keyId: name, fingerprint: name }
       await store.addKey(key).then(() => console.log('added'), (error) => console.log(error.code))`,
      JSON.stringify(publicKey('-')),
    )
    expect(outcomes.toSorted()).toEqual([
      ...Array(2).fill('added'),
      ...Array(4).fill('credentials'),
    ])
    expect((await store.findLogin('shop'))?.keys).toHaveLength(2)
  })
})

describe('a nonce', () => {
  test('is spent for one of six processes only', async () => {
    const outcomes = await raceStoreProcesses(
      file,
      6,
      `for (let at = 0; at < 100; at++) {
         const use = { consumerKey: 'shop', timestampSeconds: ${NOW}, nonce: 'n' + at }
         if (await store.spendNonce(use, ${NOW}) === 'spent') console.log(at)
       }`,
    )
    const numbers = outcomes.flatMap((lines) => lines.split('\n').filter((line) => line !== ''))
    expect(numbers.map(Number).toSorted((a, b) => a - b)).toEqual([...Array(100).keys()])
  })

  test('that was spent stays spent after kill -9', async () => {
    const child = startStoreProcess(
      file,
      `for (let at = 0; ; at++) {
         const nonce = 'n' + at
         await store.spendNonce({ consumerKey: 'shop', timestampSeconds: ${NOW}, nonce }, ${NOW})
         writeSync(1, nonce + '\\n')
       }`,
      'victim',
    )
    const printed: string[] = []
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed.push(chunk)
      if (printed.join('').split('\n').length > 100) child.kill('SIGKILL')
    })
    const [, signal] = await once(child, 'close')
    expect(signal).toBe('SIGKILL')

    // Opened anew: the store must not lean on what a process remembers.
    await store.close()
    store = openSqliteStore(file)
    const whole = printed.join('').split('\n').slice(0, -1)
    expect(whole.length).toBeGreaterThanOrEqual(100)
    for (const nonce of whole)
      expect(
        await store.spendNonce({ consumerKey: 'shop', timestampSeconds: NOW, nonce }, NOW),
      ).toBe('replayed')
  })
})

describe('the file', () => {
  test('is made once when several processes open it at the same moment', async () => {
    const outcomes = await raceStoreProcesses(
      file,
      3,
      `for (let at = 0; at < 30; at++) {
         // The last milliseconds pass in a loop, so that all processes open the file in the same one.
         await setTimeout(Math.max(0, momentMs + 50 * at - Date.now() - 5))
         while (Date.now() < momentMs + 50 * at) {}
         const opened = openSqliteStore(${JSON.stringify(folder)} + '/' + at + '/store.sqlite')
         await opened.spendNonce({ consumerKey: 'a', timestampSeconds: ${NOW}, nonce: name }, ${NOW})
         await opened.close()
       }
       console.log('opened 30')`,
    )
    expect(outcomes).toEqual(Array(3).fill('opened 30'))
  })
})
