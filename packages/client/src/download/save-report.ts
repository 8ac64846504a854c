import { randomUUID } from 'node:crypto'
import { access, type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type CounterfoilError, createError } from '../errors/counterfoil-error.ts'
import type {
  Download,
  DownloadOptions,
  DownloadTarget,
  OpenReport,
  ReportOutcome,
} from '../report/report.ts'

/** How many bytes may wait for the disk. The stream writes the chunks that wait together. */
const BUFFER_BYTES = 512 * 1024

/** Saves a report in a temporary file beside the target, and renames it when it is complete and on the disk. */
export async function saveReport(
  ask: () => Promise<OpenReport>,
  target: DownloadTarget,
  { onProgress, overwrite = false }: DownloadOptions,
): Promise<Download> {
  const refuseTaken = overwrite ? refuseIrreplaceable : refuseExisting
  if (typeof target === 'string') await refuseTaken(target)
  const report = await ask()
  const { fileName, ...head } = report.head
  try {
    const file = typeof target === 'string' ? target : join(target.directory, fileName)
    await refuseTaken(file)
    const temporary = temporaryBeside(file)
    const handle = await asFileError(file, open(temporary, 'wx', 0o600))
    try {
      const complete = await write(handle, file, report, onProgress)
      await asFileError(file, overwrite ? rename(temporary, file) : moveIntoPlace(temporary, file))
      return { file, ...head, ...complete }
    } finally {
      await rm(temporary, { force: true })
    }
  } finally {
    report.cancel()
  }
}

/** Returns a unique hidden name, short enough even beside the longest file name. */
function temporaryBeside(file: string): string {
  return join(dirname(file), `.${basename(file).slice(0, 60)}.${randomUUID()}.part`)
}

async function write(
  handle: FileHandle,
  file: string,
  { chunks, rowsSoFar }: OpenReport,
  onProgress: DownloadOptions['onProgress'],
): Promise<ReportOutcome> {
  let complete: ReportOutcome | undefined
  const passed = async function* () {
    let bytes = 0
    for (let next = await chunks.next(); ; next = await chunks.next()) {
      if (next.done) {
        complete = next.value
        return
      }
      bytes += next.value.length
      onProgress?.(bytes, rowsSoFar?.())
      yield next.value
    }
  }
  const output = handle.createWriteStream({ highWaterMark: BUFFER_BYTES, flush: true })
  await asFileError(file, pipeline(passed(), output))
  if (!complete) throw new Error('expected the stream to read to the end')
  return complete
}

/** A hard link takes a name that is free in one step. Where links are impossible, a check and a rename take two. */
async function moveIntoPlace(temporary: string, file: string): Promise<void> {
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

/** Refuses a device, a pipe, a socket or a folder, also behind a link: replacing one would break other programs. */
async function refuseIrreplaceable(file: string): Promise<void> {
  const existing = await stat(file).catch(() => undefined)
  if (!existing || existing.isFile()) return
  const message = `${file} is not a regular file, so a report cannot replace it`
  throw createError('file-error', message, {})
}

function exists(file: string): CounterfoilError {
  return createError('file-error', `${file} already exists`, {})
}

/** Converts errors of the file system to a `file-error`. The body's errors and the signal's reason pass through. */
async function asFileError<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    throw createError('file-error', `cannot write ${file}: ${cause.message}`, {}, { cause })
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
