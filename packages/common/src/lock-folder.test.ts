import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFolder, waitForFolder } from './lock-folder.ts'

const MODULE = join(import.meta.dirname, 'lock-folder.ts')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
})
afterEach(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true })
})

/** A process that tries to take the folder, says whether it did, and stays until it is killed. */
async function takeInChild() {
  const script = `import { lockFolder } from ${JSON.stringify(MODULE)}
    console.log(lockFolder(${JSON.stringify(folder)}) === undefined ? 'refused' : 'taken')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(child.stdout, 'data')
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  return { said: String(said).trim(), kill }
}

test('keeps other processes out until it is given back, however often this one took it', async () => {
  const [first, second] = [lockFolder(folder), lockFolder(folder)]
  first?.()
  const refused = await takeInChild()
  expect(refused.said).toBe('refused')
  await refused.kill()
  second?.()
  const taken = await takeInChild()
  expect(taken.said).toBe('taken')
  expect(lockFolder(folder)).toBeUndefined()
  // As a gateway that was killed: nothing of the lock stays behind.
  await taken.kill()
  lockFolder(folder)?.()
  expect(lockFolder(folder)).toBeTypeOf('function')
})

test('names a folder that it cannot write', () => {
  expect(() => lockFolder(join(folder, 'none'))).toThrow('none')
})

test('waits for another process, says so once, and gives up after a time', async () => {
  const other = await takeInChild()
  let waits = 0
  const wait = (ms: number) => waitForFolder(folder, ms, () => (waits += 1))
  expect(await wait(250)).toBeUndefined()
  expect(waits).toBe(1)
  const waiting = wait(60_000)
  await other.kill()
  const release = await waiting
  expect(release).toBeTypeOf('function')
  expect(waits).toBe(2)
  release?.()
})
