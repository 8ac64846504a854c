import { randomUUID } from 'node:crypto'
import { access, type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Report } from './read-answer.ts'
import { ReportError } from './report-error.ts'
import type { Completeness } from './verify-body.ts'

/** A file's path, or a directory that takes the file under the name that the gateway gives it. */
export type ReportTarget = string | { readonly directory: string }

/** How a report is saved. */
export interface SaveOptions {
  readonly signal?: AbortSignal
  /** Called with the number of bytes that have come so far. */
  readonly onProgress?: (bytes: number) => void
  /** Replaces a file or a symbolic link that is already there, and nothing else. */
  readonly overwrite?: boolean
}

/** A complete report in its file. */
export interface SavedReport extends Completeness {
  readonly file: string
  readonly requestId: string | undefined
  /** As {@link Report.newestRow}. */
  readonly newestRow: string | undefined
}

/**
 * Asks for a report and saves it by way of a temporary file beside its own, which takes the name only when the report
 * is complete and on the disk. Throws what `ask` and the body throw, or `file`; the temporary file is then gone.
 */
export async function saveReport(
  ask: () => Promise<Report>,
  target: ReportTarget,
  { onProgress, overwrite = false }: SaveOptions,
): Promise<SavedReport> {
  const refuseTaken = overwrite ? refuseIrreplaceable : refuseExisting
  if (typeof target === 'string') await refuseTaken(target)
  const report = await ask()
  try {
    const file = typeof target === 'string' ? target : join(target.directory, report.fileName)
    await refuseTaken(file)
    const temporary = temporaryBeside(file)
    const handle = await asFileError(file, open(temporary, 'wx', 0o600))
    try {
      const complete = await write(handle, file, report, onProgress)
      await asFileError(file, overwrite ? rename(temporary, file) : appear(temporary, file))
      return { file, requestId: report.requestId, newestRow: report.newestRow, ...complete }
    } finally {
      await rm(temporary, { force: true })
    }
  } finally {
    report.body.destroy()
  }
}

/** A hidden name that nobody else has, short enough beside the longest of names. */
function temporaryBeside(file: string): string {
  return join(dirname(file), `.${basename(file).slice(0, 60)}.${randomUUID()}.part`)
}

async function write(
  handle: FileHandle,
  file: string,
  { body, completed }: Report,
  onProgress: SaveOptions['onProgress'],
): Promise<Completeness> {
  try {
    await asFileError(file, handle.writeFile(onProgress ? counted(body, onProgress) : body))
    await asFileError(file, handle.sync())
    return await completed
  } finally {
    await handle.close()
  }
}

async function* counted(body: Readable, onProgress: (bytes: number) => void) {
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    yield chunk
    bytes += chunk.length
    onProgress(bytes)
  }
}

/** Gives a file its name unless it is taken: a link never replaces, in one step; where links cannot be made, in two. */
async function appear(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw exists(file)
    await refuseExisting(file)
    await rename(temporary, file)
  }
}

async function refuseExisting(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (isThere) throw exists(file)
}

/** A device, a pipe or a socket is nobody's former report: a file in its place would break what uses it. */
async function refuseIrreplaceable(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined)
  if (!found || found.isFile() || found.isSymbolicLink()) return
  throw new ReportError('file', `${file} is not a regular file, so a report cannot replace it`)
}

function exists(file: string): ReportError {
  return new ReportError('file', `${file} already exists`)
}

/** Turns what the file system throws into an error of ours; a body's failure and an abort's reason pass through. */
async function asFileError<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    throw new ReportError('file', `cannot write ${file}: ${cause.message}`, { cause })
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
