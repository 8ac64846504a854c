import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from './command.ts'

/**
 * Reads a text file that an option names.
 *
 * @throws {UsageError} which names the option and not the file: the caller may have passed a secret value by mistake
 */
export async function readText(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    // `ENOENT: no such file or directory, open '739'`
    const [reason] = String(cause instanceof Error ? cause.message : cause).split(', ')
    throw new UsageError(`${flag}: cannot read the file: ${reason}`, { cause })
  }
}

/**
 * Writes a file that only its owner can read.
 *
 * @throws {UsageError} if the file cannot be written, or exists and must stay
 */
export async function writeNew(
  file: string,
  content: string | Iterable<string>,
  overwrite: boolean,
): Promise<void> {
  try {
    await writeFile(file, content, { flag: overwrite ? 'w' : 'wx', mode: 0o600 })
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

/**
 * Writes a file beside the profiles, for its owner alone. The file appears complete or not at all.
 *
 * @param content the value of its JSON
 */
export async function writePrivately(file: string, content: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}.part`
  const text = `${JSON.stringify(content, undefined, 2)}\n`
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}
