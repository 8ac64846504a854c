import { link, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Queries } from '@counterfoil/engine'

// The engine makes everything else again.
const FOLDERS = ['data', 'metadata', 'store']

/** Names of files that the engine is writing or removing. */
const PASSING = /^(tmp|delete_tmp|tmp-fetch)[_-]/

/**
 * Makes a snapshot of an embedded ledger: another name for each of its files. The engine never changes a file of a
 * part, so the snapshot stays as it is. Nothing else may write to the ledger meanwhile.
 *
 * @param target a new folder on the same file system
 */
export async function snapshotLedger(
  engine: Queries,
  directory: string,
  target: string,
): Promise<void> {
  // A merge would replace parts while their files get names.
  await engine.execute('SYSTEM STOP MERGES')
  try {
    for (const folder of FOLDERS) await linkFolder(join(directory, folder), join(target, folder))
  } finally {
    await engine.execute('SYSTEM START MERGES')
  }
}

async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (PASSING.test(entry.name)) continue
    try {
      if (entry.isDirectory()) await linkFolder(source, target)
      else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
      else await link(source, target)
    } catch (error) {
      // The engine removes parts that it has merged some minutes ago.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}
