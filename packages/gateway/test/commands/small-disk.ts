import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own, which a test can fill. */
export interface SmallDisk {
  readonly folder: string
  /** Writes until no byte is free. */
  fill(): void
  /** Frees what `fill` took. */
  free(): void
  remove(): void
}

/** Mounts a file system in memory. Returns `undefined` if this process may not mount one. */
export function mountSmallDisk(mebibytes: number): SmallDisk | undefined {
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
