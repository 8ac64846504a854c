import {
  JWS_MEDIA_TYPE,
  type Run,
  type RunPage,
  runPageSchema,
  runSchema,
} from '@counterfoil/protocol'
import { type Asker, isMissing } from '../connection/ask.ts'
import { CounterfoilError } from '../errors/counterfoil-error.ts'
import { wait } from '../connection/wait.ts'

/** Which runs to list. */
export interface RunsOptions {
  /** The most runs of a page: 1 to 1,000, by default 100. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly before?: string | undefined
  /** Lists the runs of this report only. */
  readonly reportIdentifier?: string | undefined
}

const MANIFEST = 'the manifest of a run'
const UNKNOWN_RUN = 'unknown-run'
const RUN_WAIT_MS = 500
/** How long after the last byte the manifest may appear. */
const RUN_WAITS_MAX = 20

/** Asks for a page of runs. */
export async function readRuns(
  asker: Asker,
  options: RunsOptions,
  signal?: AbortSignal,
): Promise<RunPage> {
  return await asker.json(
    { path: '/runs', content: options, expected: 'runs', signal },
    runPageSchema,
  )
}

/** Asks for the manifest of a run. */
export async function readManifest(
  asker: Asker,
  runId: string,
  signal?: AbortSignal,
): Promise<Run> {
  const question = { path: pathOf(runId), expected: MANIFEST, signal }
  const isAsked = ({ runId: answered }: Run): boolean => answered === runId
  return await asker.json(question, runSchema, isAsked)
}

/** Asks for the signed manifest of a run: a JWS in its compact form. */
export async function readSignedManifest(
  asker: Asker,
  runId: string,
  signal?: AbortSignal,
): Promise<string> {
  const question = { path: pathOf(runId), expected: MANIFEST, signal }
  return (await asker.text(question, JWS_MEDIA_TYPE)).trim()
}

/**
 * Asks for the manifest of a run whose last byte has just arrived. The gateway writes it a moment later.
 *
 * @returns undefined if the gateway keeps no manifests
 */
export async function readFreshManifest(
  asker: Asker,
  runId: string,
  signal?: AbortSignal,
): Promise<Run | undefined> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await readManifest(asker, runId, signal)
    } catch (error) {
      if (isMissing(error)) return undefined
      if (!isUnknown(error) || waits === RUN_WAITS_MAX) throw error
      await wait(RUN_WAIT_MS, signal)
    }
  }
}

function isUnknown(error: unknown): boolean {
  if (!(error instanceof CounterfoilError) || error.code !== 'report-refused') return false
  return error.problem.code === UNKNOWN_RUN
}

function pathOf(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`
}
