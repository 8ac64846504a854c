import { readFile } from 'node:fs/promises'

/** A mistake in the command line or in a file that it names: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The user ended the command during a question: exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

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
