import { randomUUID } from 'node:crypto'
import { access, type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../usage-error.ts'

/** A file that appears under its name when it is complete. */
export class WholeFile {
  readonly #file: string
  readonly #temporary: string
  readonly #handle: FileHandle
  readonly #overwrite: boolean

  private constructor(file: string, temporary: string, handle: FileHandle, overwrite: boolean) {
    this.#file = file
    this.#temporary = temporary
    this.#handle = handle
    this.#overwrite = overwrite
  }

  /**
   * Creates a temporary file beside the target.
   *
   * @throws {UsageError} if the target exists, if it is not a regular file, or if the folder cannot be written
   */
  static async create(file: string, overwrite: boolean): Promise<WholeFile> {
    if (overwrite) await refuseIrreplaceable(file)
    else if (await exists(file)) throw taken(file)
    const temporary = join(dirname(file), `.${basename(file).slice(0, 60)}.${randomUUID()}.part`)
    const handle = await asUsage(file, open(temporary, 'wx', 0o600))
    return new WholeFile(file, temporary, handle, overwrite)
  }

  async write(text: string): Promise<void> {
    await asUsage(this.#file, this.#handle.writeFile(text))
  }

  /** Gives the file its name. */
  async complete(): Promise<void> {
    await asUsage(this.#file, this.#handle.sync())
    if (this.#overwrite) return await asUsage(this.#file, rename(this.#temporary, this.#file))
    try {
      // Unlike a rename, a link never replaces a file that has appeared since.
      await link(this.#temporary, this.#file)
    } catch {
      if (await exists(this.#file)) throw taken(this.#file)
      await asUsage(this.#file, rename(this.#temporary, this.#file))
    }
  }

  /** Removes the temporary file. */
  async close(): Promise<void> {
    await this.#handle.close()
    await rm(this.#temporary, { force: true })
  }
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  )
}

/** Refuses a device, a pipe, a socket or a folder, also behind a link: replacing one would break other programs. */
async function refuseIrreplaceable(file: string): Promise<void> {
  const existing = await stat(file).catch(() => undefined)
  if (existing === undefined || existing.isFile()) return
  throw new UsageError(`${file} is not a regular file, so --overwrite cannot replace it`)
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
