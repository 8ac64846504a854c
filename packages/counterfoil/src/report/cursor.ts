import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import { type ProfilePlace, writePrivately } from '../connection/profile.ts'
import { UsageError } from '../usage-error.ts'

/** Where `--since-last` of one selection of rows stopped. */
export interface Cursor {
  /** The value of `changedSince` for the next run. Undefined until a run has a cursor. */
  readonly cursor?: string
  /** When the last run began. */
  readonly at: string
  /** A run whose file is complete, and whose cursor is not read yet. */
  readonly pendingRun?: string
}

/** Whose rows a cursor is about. */
interface Caller {
  readonly endpoint: string
  readonly login: string
}

/** A file that holds the cursor of one selection of rows, and what the selection is. */
export interface CursorFile {
  readonly file: string
  readonly selection: Caller &
    Pick<ReportRequest, 'filters' | 'inputReportParameters' | 'reportIdentifier'>
}

/**
 * Finds the file of a request's cursor, in a folder beside the profile. Requests for other rows have other files; how
 * the rows are written does not count.
 */
export function placeCursor(
  profile: ProfilePlace,
  { endpoint, login }: Caller,
  { reportIdentifier, inputReportParameters = [], filters = {} }: ReportRequest,
): CursorFile {
  const selection = { endpoint, login, reportIdentifier, inputReportParameters, filters }
  const hash = createHash('sha256').update(JSON.stringify(selection)).digest('hex').slice(0, 16)
  const folder = join(dirname(profile.file), `${profile.name}.cursors`)
  const name = reportIdentifier.replaceAll(/[^\w-]/g, '').slice(0, 64)
  return { file: join(folder, `${name}-${hash}.json`), selection }
}

/**
 * Reads a cursor. There is none before the first run.
 *
 * @throws {UsageError} if the file is malformed
 */
export async function readCursor({ file }: CursorFile): Promise<Cursor | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new UsageError(`cannot read the cursor ${file}: ${cause.message}`, { cause })
  })
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (isCursor(value)) return value
  } catch {
    // The error below says the same.
  }
  throw new UsageError(
    `the cursor ${file} is malformed. To ask for every row again, delete the file`,
  )
}

/** Writes a cursor. */
export async function writeCursor({ file, selection }: CursorFile, cursor: Cursor): Promise<void> {
  await writePrivately(file, { ...selection, ...cursor })
}

function isCursor(value: unknown): value is Cursor {
  if (typeof value !== 'object' || value === null || !('at' in value)) return false
  const texts = ['cursor', 'pendingRun'].map((name) => Reflect.get(value, name))
  const isTexts = texts.every((text) => text === undefined || typeof text === 'string')
  return isTexts && typeof value.at === 'string'
}
