import { randomUUID } from 'node:crypto'
import { access, link, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../usage-error.ts'

/**
 * Refuses a target that {@link saveFile} would refuse, before the work begins: a file that exists, and with `overwrite`
 * anything but a regular file, also behind a link. Replacing a device or a pipe would break other programs.
 *
 * @throws {UsageError}
 */
export async function checkTarget(file: string, overwrite: boolean): Promise<void> {
  await access(dirname(file)).catch(cannotWrite(file))
  const existing = await stat(file).catch(() => undefined)
  if (existing && !overwrite) throw taken(file)
  if (!existing || existing.isFile()) return
  throw new UsageError(`${file} is not a regular file, so --overwrite cannot replace it`)
}

/**
 * Writes a file that appears under its name when it is complete.
 *
 * @throws {UsageError} if the file cannot be written, or if another has its name and must stay
 */
export async function saveFile(
  file: string,
  overwrite: boolean,
  texts: Iterable<string>,
): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file).slice(0, 60)}.${randomUUID()}.part`)
  try {
    await writeFile(temporary, texts, { flag: 'wx', mode: 0o600, flush: true })
    // Unlike a rename, a link never replaces a file that has appeared since. Some file systems have no links.
    const linked = overwrite ? 'no' : await link(temporary, file).catch(({ code }) => code)
    if (linked === 'EEXIST') throw taken(file)
    if (linked !== undefined) await rename(temporary, file)
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    cannotWrite(file)(cause)
  } finally {
    await rm(temporary, { force: true })
  }
}

function taken(file: string): UsageError {
  return new UsageError(
    `${file} already exists; choose another file, or replace it with --overwrite`,
  )
}

function cannotWrite(file: string): (cause: unknown) => never {
  return (cause) => {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    const [reason] = cause.message.split(', ')
    throw new UsageError(`cannot write ${file}: ${reason}`, { cause })
  }
}
