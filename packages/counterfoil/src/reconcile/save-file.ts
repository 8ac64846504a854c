import { randomUUID } from 'node:crypto'
import { access, link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../usage-error.ts'

/**
 * Refuses a target that {@link saveFile} would refuse, before the work begins: a file that exists, and with `overwrite`
 * anything but a regular file, also behind a link. Replacing a device or a pipe would break other programs.
 *
 * @throws {UsageError}
 */
export async function checkTarget(file: string, overwrite: boolean): Promise<void> {
  await asUsage(file, access(dirname(file)))
  if (!overwrite && (await exists(file))) throw taken(file)
  const existing = await stat(file).catch(() => undefined)
  if (existing === undefined || existing.isFile()) return
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
  const handle = await asUsage(file, open(temporary, 'wx', 0o600))
  try {
    await asUsage(file, handle.writeFile(texts))
    await asUsage(file, handle.sync())
    await handle.close()
    // Unlike a rename, a link never replaces a file that has appeared since.
    const linked = overwrite
      ? false
      : await link(temporary, file).then(
          () => true,
          () => false,
        )
    if (linked) return
    if (!overwrite && (await exists(file))) throw taken(file)
    await asUsage(file, rename(temporary, file))
  } finally {
    await handle.close()
    await rm(temporary, { force: true })
  }
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  )
}

function taken(file: string): UsageError {
  return new UsageError(
    `${file} already exists; choose another file, or replace it with --overwrite`,
  )
}

async function asUsage<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    const [reason] = cause.message.split(', ')
    throw new UsageError(`cannot write ${file}: ${reason}`, { cause })
  }
}
