// @module-tag long

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { ask } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { csvOf, transactionRow, writeOwnSource } from '../kit/import-kit.ts'
import { runHere } from '../kit/run-here.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const disk = mountSmallDisk(256)

describe.skipIf(!disk)('a gateway whose disk is full', () => {
  const folder = disk?.folder ?? ''
  const dataDir = join(folder, 'data')
  let sandbox: Sandbox
  let gateway: ChildGateway
  let config: string
  beforeAll(async () => {
    sandbox = await makeSandbox(1_000)
    cpSync(sandbox.dataDir, dataDir, { recursive: true })
    gateway = await serveInChild(sandbox, { dataDir })
    config = await sandbox.writeConfig({ dataDir })
  })
  afterAll(async () => {
    gateway.kill('SIGTERM')
    await gateway.ended
    sandbox.remove()
    disk?.remove()
  })

  const readyStatus = async (): Promise<number> => {
    await sleep(LIMITS.readyCacheMs + 100)
    return (await fetch(new URL('/readyz', gateway.reportUrl))).status
  }
  const noSpace = (path: string, work: string, retry: string): string => {
    return `error: The disk of ${path} has too little free space for ${work}. Free some, and ${retry}.\n`
  }

  test('is not ready, as its requests fail, and is ready again when there is space', async () => {
    expect(await readyStatus()).toBe(200)
    disk?.fill()
    expect(statfsSync(folder).bavail).toBe(0)
    expect(await readyStatus()).toBe(503)
    expect(await ask(gateway, sandbox.logins.merchant)).toMatchObject({ status: 500 })
    expect((await fetch(new URL('/livez', gateway.reportUrl))).status).toBe(200)
    disk?.free()
    expect(await readyStatus()).toBe(200)
    expect(await ask(gateway, sandbox.logins.merchant)).toMatchObject({ status: 200 })
  })

  test('takes nothing of an import, and the command names the disk', async () => {
    const file = join(sandbox.folder, 'one.csv')
    writeFileSync(file, csvOf([transactionRow(1)]))
    const refused = ['--refused', join(sandbox.folder, 'refused')]
    const args = [writeOwnSource(sandbox.folder), file, '--config', config, ...refused]
    disk?.fill()
    expect(await runHere('import', ...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        noSpace(dataDir, 'this import', 'import the same files again'),
      ),
    })
    disk?.free()
    expect((await runHere('import', ...args)).stdout).toContain('1 row: 1 taken')
  })

  test('makes no backup, and the command names the disk', async () => {
    const target = join(sandbox.folder, 'backup')
    disk?.fill()
    expect(await runHere('backup', target, '--config', config)).toMatchObject({
      code: 1,
      stderr: noSpace(dataDir, 'this backup', 'back up again'),
    })
    disk?.free()
    expect(existsSync(target)).toBe(false)
    expect(await runHere('backup', target, '--config', config)).toMatchObject({ code: 0 })
  })

  test('a backup to a full disk names the disk, and leaves nothing there', async () => {
    const others = await sandbox.writeConfig()
    const before = readdirSync(folder)
    disk?.fill()
    expect(await runHere('backup', join(folder, 'backup'), '--config', others)).toMatchObject({
      code: 1,
      stderr: noSpace(folder, 'this backup', 'back up again'),
    })
    disk?.free()
    expect(readdirSync(folder)).toEqual(before)
  })
})

/** Mounts a file system in memory. Returns `undefined` if this process may not mount one. */
function mountSmallDisk(mebibytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]
  if (spawnSync('mount', options).status !== 0) {
    rmdirSync(folder)
    return undefined
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => {
      for (let bytes = 1024 ** 2; bytes >= 1; bytes /= 4) {
        const piece = Buffer.alloc(bytes)
        while (append(filler, piece));
      }
    },
    free: () => rmSync(filler),
    remove: () => {
      if (spawnSync('umount', [folder]).status !== 0) throw new Error(`cannot unmount ${folder}`)
      rmdirSync(folder)
    },
  }
}

/** Returns whether the disk had space. */
function append(file: string, piece: Buffer): boolean {
  try {
    writeFileSync(file, piece, { flag: 'a' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
    throw error
  }
}
