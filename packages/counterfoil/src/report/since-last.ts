import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CounterfoilClient, CounterfoilError, toReportRequest } from '@counterfoil/client'
import type { ReportRequest } from '@counterfoil/protocol'
import { type ProfilePlace } from '../connection/profile.ts'
import { type Dependencies, UsageError } from '../command.ts'
import { writePrivately } from '../files.ts'

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
  /** Remembers this run. Call it when the file is complete. */
  finish(runId: string | undefined): Promise<void>
}

/** The last run of one selection of rows. */
interface LastRun {
  /** When the run began. */
  readonly at: string
  /** The cursor in its manifest. */
  readonly cursor: string
}

/** A file that holds the last run of one selection of rows, and what the selection is. */
interface CursorFile {
  readonly file: string
  readonly selection: object
}

/**
 * Finds the file of a request's last run, in a folder beside the profile. Requests for other rows have other files; how
 * the rows are written does not count.
 */
export function placeCursor(
  profile: ProfilePlace,
  { endpoint, login }: { readonly endpoint: string; readonly login: string },
  { reportIdentifier, inputReportParameters = [], filters = {} }: ReportRequest,
): CursorFile {
  const selection = { endpoint, login, reportIdentifier, inputReportParameters, filters }
  const hash = createHash('sha256').update(JSON.stringify(selection)).digest('hex').slice(0, 16)
  const folder = join(dirname(profile.file), `${profile.name}.cursors`)
  const name = reportIdentifier.replaceAll(/[^\w-]/g, '').slice(0, 64)
  return { file: join(folder, `${name}-${hash}.json`), selection }
}

/**
 * Reads where the last run stopped, and says so on stderr.
 *
 * @throws {UsageError} if the file of the last run is malformed
 */
export async function startSinceLast(
  client: CounterfoilClient,
  request: ReportRequest,
  { file, selection }: CursorFile,
  { stderr, signal }: Dependencies,
): Promise<SinceLast> {
  const at = new Date().toISOString()
  const last = await readLastRun(file)
  stderr.write(
    last
      ? `Rows that changed since the last run, of ${last.at}.\n`
      : 'The first run with --since-last: every row of the request. Later runs get what changed since.\n',
  )
  return {
    request: toReportRequest(request, { [PARAMETER]: last?.cursor ?? BEGINNING }),
    from: last ? compact(last.at) : 'first',
    to: compact(at),
    async finish(runId) {
      const { cursor } = runId === undefined ? {} : await client.manifest(runId, { signal })
      if (cursor === undefined) throw new UsageError('--since-last: the gateway gives no cursor')
      await writePrivately(file, { ...selection, at, cursor })
    },
  }
}

/** Whether the gateway refused the cursor, for example because its ledger is another one. */
export function isCursorRefused(error: unknown): boolean {
  if (!(error instanceof CounterfoilError) || error.code !== 'report-refused') return false
  return error.problem.errors?.some(({ expected }) => expected.includes(PARAMETER)) ?? false
}

/** A time as a file name can hold it: `20261122T031500Z`. */
function compact(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z').replaceAll(/[-:]/g, '')
}

async function readLastRun(file: string): Promise<LastRun | undefined> {
  try {
    const { at, cursor } = Object(JSON.parse(await readFile(file, 'utf8')))
    if (typeof at === 'string' && typeof cursor === 'string') return { at, cursor }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  }
  throw new UsageError(
    `cannot read the cursor ${file}. To ask for every row again, delete the file`,
  )
}
