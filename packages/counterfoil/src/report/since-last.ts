import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CounterfoilClient, CounterfoilError, ReportRefused } from '@counterfoil/client'
import type { ReportRequest } from '@counterfoil/protocol'
import { type ProfilePlace, writePrivately } from '../connection/profile.ts'
import type { Dependencies } from '../dependencies.ts'
import { UsageError } from '../usage-error.ts'

const PARAMETER = 'changedSince'

/** The cursor of the first run. With it, the gateway refuses at once what later runs could not ask for. */
const BEGINNING = '1970-01-01T00:00:00.000Z'

/** A run of `--since-last`, before its request. */
interface SinceLast {
  /** The request for the rows that changed since the last run. */
  readonly request: ReportRequest
  /** The names of the two runs in `--output`: when they began. `first` before the first run. */
  readonly from: string
  readonly to: string
  /** Moves the cursor. Call it when the file is complete. */
  finish(runId: string | undefined): Promise<void>
}

/**
 * Reads where the last run stopped, and says so on stderr.
 *
 * @throws {UsageError} if the report has no cursor
 */
export async function startSinceLast(
  client: CounterfoilClient,
  request: ReportRequest,
  place: CursorFile,
  { stderr, signal, now }: Dependencies,
): Promise<SinceLast> {
  const at = now().toISOString()
  const last = await readCursor(place)
  const cursor = (await readPending(client, last, signal)) ?? last?.cursor
  if (cursor === undefined) {
    await refuseWithoutCursor(client, request.reportIdentifier, signal)
    stderr.write(
      'The first run with --since-last: every row of the request. Later runs get what changed since.\n',
    )
  } else {
    stderr.write(`Rows that changed since the last run, of ${last?.at}.\n`)
  }
  return {
    request: withCursor(request, cursor ?? BEGINNING),
    from: cursor === undefined ? 'first' : compact(last?.at ?? ''),
    to: compact(at),
    async finish(runId) {
      if (runId === undefined) throw new UsageError('--since-last: the gateway gives no run id')
      // If the next request fails, the next run reads the cursor of this one first.
      await writeCursor(place, { at, pendingRun: runId, ...(cursor !== undefined && { cursor }) })
      try {
        const next = (await client.manifest(runId, { signal })).cursor
        if (next !== undefined) await writeCursor(place, { at, cursor: next })
      } catch (error) {
        if (!signal.aborted && !(error instanceof CounterfoilError)) throw error
        stderr.write(
          'The gateway did not give the cursor of this run: the next run reads it first.\n',
        )
      }
    },
  }
}

/** Whether the gateway refused the cursor, for example because its ledger is another one. */
export function isCursorRefused(error: unknown): boolean {
  if (!(error instanceof ReportRefused)) return false
  return error.problem.errors?.some(({ expected }) => expected.includes(PARAMETER)) ?? false
}

/** Reads the cursor of a run that ended between its file and its cursor. */
async function readPending(
  client: CounterfoilClient,
  last: Cursor | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (last?.pendingRun === undefined) return undefined
  try {
    return (await client.manifest(last.pendingRun, { signal })).cursor
  } catch (error) {
    // The gateway keeps runs for a limited time. Rows that come twice are better than rows that are missing.
    if (error instanceof ReportRefused && error.problem.status === 404) return undefined
    throw error
  }
}

async function refuseWithoutCursor(
  client: CounterfoilClient,
  identifier: string,
  signal: AbortSignal,
): Promise<void> {
  const { reports } = await client.catalogue({ signal })
  const able = reports.filter(({ inputReportParameters }) => {
    return inputReportParameters.some(({ name }) => name === PARAMETER)
  })
  const names = able.map(({ reportIdentifier }) => reportIdentifier)
  if (names.includes(identifier)) return
  const others = names.length === 0 ? 'no report of this gateway can' : `${names.join(', ')} can`
  throw new UsageError(`--since-last: ${identifier} cannot say what changed; ${others}`)
}

function withCursor(request: ReportRequest, cursor: string): ReportRequest {
  const { inputReportParameters = [] } = request
  const parameter = { type: 'INPUT_TEXT', name: PARAMETER, value: cursor } as const
  return { ...request, inputReportParameters: [...inputReportParameters, parameter] }
}

/** A time as a file name can hold it: `20261122T031500Z`. */
function compact(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z').replaceAll(/[-:]/g, '')
}

/** Where `--since-last` of one selection of rows stopped. */
interface Cursor {
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
interface CursorFile {
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
async function readCursor({ file }: CursorFile): Promise<Cursor | undefined> {
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
async function writeCursor({ file, selection }: CursorFile, cursor: Cursor): Promise<void> {
  await writePrivately(file, { ...selection, ...cursor })
}

function isCursor(value: unknown): value is Cursor {
  if (typeof value !== 'object' || value === null || !('at' in value)) return false
  const texts = ['cursor', 'pendingRun'].map((name) => Reflect.get(value, name))
  const isTexts = texts.every((text) => text === undefined || typeof text === 'string')
  return isTexts && typeof value.at === 'string'
}
