import { readFile } from 'node:fs/promises'
import { UsageError } from './usage-error.ts'

/** Reads a text file that an option names. Throws `UsageError`, with the option as it is written. */
export async function readText(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`${flag}: expected a file that can be read: ${reason}`, { cause })
  }
}
