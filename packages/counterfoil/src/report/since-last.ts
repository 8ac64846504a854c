import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type CounterfoilClient,
  CounterfoilError,
  type Download,
  toReportRequest,
} from '@counterfoil/client'
import type { ReportRequest } from '@counterfoil/protocol'
import type { OutputValues } from './build-request.ts'
import type { ProfilePlace } from '../connection/profile.ts'
import type { GatewayConnection } from '../connection/read-connection.ts'
import { type Dependencies, UsageError } from '../command.ts'
import { writePrivately } from '../files.ts'

const PARAMETER = 'changedSince'

/** The cursor of the first run. With it, the gateway refuses at once what later runs could not ask for. */
const BEGINNING = '1970-01-01T00:00:00.000Z'

export type SaveReport = (request: ReportRequest, values: OutputValues) => Promise<Download>

type Caller = Pick<GatewayConnection, 'endpoint' | 'login'> & { readonly profile: ProfilePlace }

/** Saves the rows that changed since the last run for the same rows, and then remembers this run. */
export async function saveChanges(
  client: CounterfoilClient,
  caller: Caller,
  request: ReportRequest,
  { stderr, signal }: Dependencies,
  save: SaveReport,
): Promise<void> {
  const { file, selection } = placeCursor(caller, request)
  const at = new Date().toISOString()
  const last = await readLastRun(file)
  stderr.write(
    last
      ? `Rows that changed since the last run, of ${last.at}.\n`
      : 'The first run with --since-last: every row of the request. Later runs get what changed since.\n',
  )
  const asked = toReportRequest(request, { [PARAMETER]: last?.cursor ?? BEGINNING })
  const from = last ? compact(last.at) : 'first'
  try {
    const { runId } = await save(asked, { report: request.reportIdentifier, from, to: compact(at) })
    const { cursor } = runId === undefined ? {} : await client.manifest(runId, { signal })
    if (cursor === undefined) throw new UsageError('--since-last: the gateway gives no cursor')
    await writePrivately(file, { ...selection, at, cursor })
  } catch (error) {
    if (last && isCursorRefused(error)) {
      stderr.write(`To get every row again, delete the cursor ${file}\n`)
    }
    throw error
  }
}

/** Finds the file of the last run for the same rows, in a folder beside the profile. */
function placeCursor(
  { profile, endpoint, login }: Caller,
  { reportIdentifier, inputReportParameters = [], filters = {} }: ReportRequest,
) {
  const selection = { endpoint, login, reportIdentifier, inputReportParameters, filters }
  const hash = createHash('sha256').update(JSON.stringify(selection)).digest('hex').slice(0, 16)
  const folder = join(dirname(profile.file), `${profile.name}.cursors`)
  const name = reportIdentifier.replaceAll(/[^\w-]/g, '').slice(0, 64)
  return { file: join(folder, `${name}-${hash}.json`), selection }
}

/** Whether the gateway refused the cursor, for example because its ledger is another one. */
function isCursorRefused(error: unknown): boolean {
  if (!(error instanceof CounterfoilError) || error.code !== 'report-refused') return false
  return error.problem.errors?.some(({ expected }) => expected.includes(PARAMETER)) ?? false
}

/** A time as a file name can hold it: `20261122T031500Z`. */
function compact(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z').replaceAll(/[-:]/g, '')
}

async function readLastRun(file: string) {
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
