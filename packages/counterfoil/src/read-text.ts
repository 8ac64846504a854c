import { readFile } from 'node:fs/promises'
import { UsageError } from './usage-error.ts'

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
