import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from './command.ts'

/** Says what went wrong with a file, without its name: `ENOENT: no such file or directory, open '739'`. */
export function reasonOf(error: unknown): string {
  const [reason = ''] = String(error instanceof Error ? error.message : error).split(', ')
  return reason
}

/** Reads a text file. The error names the option and not the file: the caller may have passed a secret by mistake. */
export async function readText(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`${flag}: cannot read the file: ${reasonOf(cause)}`, { cause })
  }
}

/** Writes a file that only its owner can read. Throws `UsageError`, also if the file exists and must stay. */
export async function writeNew(
  file: string,
  content: Iterable<string>,
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
    throw new UsageError(`cannot write ${file}: ${reasonOf(cause)}`, { cause })
  }
}

/** Writes JSON beside the profiles, for its owner alone. The file appears complete or not at all. */
export async function writePrivately(file: string, content: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}.part`
  const text = `${JSON.stringify(content, undefined, 2)}\n`
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}
