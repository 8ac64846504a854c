import { lstat, mkdir } from 'node:fs/promises'
import { FileError } from '../errors/counterfoil-error.ts'
import { asFileError } from './save-report.ts'

/**
 * Creates a folder that only its owner may use, or takes one that exists. Throws `FileError` if another user owns it or
 * may write in it: that user may have prepared its files.
 */
export async function openPrivateFolder(folder: string): Promise<void> {
  const created = await asFileError(folder, mkdir(folder, { recursive: true, mode: 0o700 }))
  if (created !== undefined) return
  const found = await asFileError(folder, lstat(folder))
  const user = process.getuid?.()
  // Windows has neither numbers of users nor these modes.
  const isPrivate = user === undefined || (found.uid === user && (found.mode & 0o022) === 0)
  if (found.isDirectory() && isPrivate) return
  throw new FileError(`${folder} is a link, or another user may write in it; remove it`)
}
