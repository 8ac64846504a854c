import { readFile } from 'node:fs/promises'
import { UsageError } from './usage-error.ts'

/** Reads a text file that an option names. Throws `UsageError`, with the option and not the file: it may be a value that was meant. */
export async function readText(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    // `ENOENT: no such file or directory, open '739'`
    const [reason] = String(cause instanceof Error ? cause.message : cause).split(', ')
    throw new UsageError(`${flag}: expected a file that can be read: ${reason}`, { cause })
  }
}
