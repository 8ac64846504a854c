import { rm, writeFile } from 'node:fs/promises'
import { UsageError } from './usage-error.ts'

/** Who may read a file, and whether it may replace another one. */
interface WriteOptions {
  readonly mode?: number
  readonly overwrite?: boolean
}

/**
 * Writes a file that by default only its owner can read.
 *
 * @throws {UsageError} if the file cannot be written, or exists and must stay
 */
export async function writeNew(
  file: string,
  content: string | Iterable<string>,
  { mode = 0o600, overwrite = false }: WriteOptions = {},
): Promise<void> {
  try {
    await writeFile(file, content, { flag: overwrite ? 'w' : 'wx', mode })
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    if ('code' in cause && cause.code === 'EEXIST') {
      throw new UsageError(`${file} already exists; choose another name`, { cause })
    }
    // An incomplete file would look like a complete one.
    if (cause.syscall === 'write' && !overwrite) await rm(file, { force: true })
    throw new UsageError(`cannot write ${file}: ${cause.message.split(', ')[0]}`, { cause })
  }
}
