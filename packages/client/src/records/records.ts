import { DISCOVERY_PATH, JWKS_PATH, type Run, runSchema } from '@counterfoil/protocol'
import { runtime } from '#runtime'
import { type Ask, askJson, isMissing, type Question } from '../connection/connection.ts'
import { wait } from '../connection/retry.ts'
import { CounterfoilError } from '../errors/counterfoil-error.ts'
import { failureOf, parseJson, readText } from '../errors/read-failure.ts'
import type { Answer } from '../runtime/runtime.ts'

/** Which runs to list. */
export interface RunsOptions {
  /** The most runs of a page: 1 to 1,000, by default 100. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly before?: string | undefined
  /** Lists the runs of this report only. */
  readonly reportIdentifier?: string | undefined
}

const MANIFEST_WAIT_MS = 500
/** How often to ask again for the manifest of a run that has just ended. */
const MANIFEST_WAITS_MAX = 20

const IDLE_TIMEOUT_MS = 30_000

export function manifestOf(runId: string, signal?: AbortSignal): Question {
  const path = `/runs/${encodeURIComponent(runId)}`
  return { path, expected: 'the manifest of a run', signal }
}

export async function readManifest(ask: Ask, runId: string, signal?: AbortSignal): Promise<Run> {
  return await askJson(ask, manifestOf(runId, signal), runSchema, (run) => run.runId === runId)
}

/** The gateway writes it a moment after the last byte. Undefined if the gateway keeps no manifests. */
export async function readFreshManifest(
  ask: Ask,
  runId: string,
  signal?: AbortSignal,
): Promise<Run | undefined> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await readManifest(ask, runId, signal)
    } catch (error) {
      if (isMissing(error)) return undefined
      if (!isUnknownRun(error) || waits === MANIFEST_WAITS_MAX) throw error
      await wait(MANIFEST_WAIT_MS, signal)
    }
  }
}

function isUnknownRun(error: unknown): boolean {
  if (!(error instanceof CounterfoilError) || error.code !== 'report-refused') return false
  return error.problem.code === 'unknown-run'
}

interface PublicOptions {
  /** Certificates to trust instead of the system's, as PEM. */
  readonly ca?: string | undefined
  readonly signal: AbortSignal
}

/**
 * Asks a gateway for the URL that callers sign when they request reports.
 *
 * @param url Any URL of the gateway.
 * @returns Undefined if the gateway does not say.
 *
 * @example
 * const signal = AbortSignal.timeout(5_000)
 * const reportUrl = await readReportUrl(new URL('/', endpoint), { signal })
 * reportUrl?.href === endpoint // true
 */
export async function readReportUrl(url: URL, options: PublicOptions): Promise<URL | undefined> {
  // The caller already has a refusal to report. Discovery would only have explained it.
  const { text } = await readPublic(DISCOVERY_PATH, url, options).catch(() => ({ text: '' }))
  const { reportUrl } = Object(parseJson(text))
  return URL.parse(String(reportUrl)) ?? undefined
}

/**
 * Asks a gateway for the public keys of its signed manifests. The request needs no login.
 *
 * @param url Any URL of the gateway.
 * @returns A JSON Web Key Set (RFC 7517), as the gateway sent it.
 * @throws {CounterfoilError} If the gateway has no keys, or does not answer.
 * @example
 * const signal = AbortSignal.timeout(5_000)
 * const jwks = await readJwks(new URL(endpoint), { signal })
 * JSON.parse(jwks).keys.length // 0
 */
export async function readJwks(url: URL, options: PublicOptions): Promise<string> {
  const { answer, text } = await readPublic(JWKS_PATH, url, options)
  if (answer.status === 200) return text
  throw failureOf(answer, text, 'a JSON Web Key Set')
}

async function readPublic(
  path: string,
  url: URL,
  { ca, signal }: PublicOptions,
): Promise<{ readonly answer: Answer; readonly text: string }> {
  const send = runtime.createTransport(ca)
  const request = { method: 'GET', url: new URL(path, url), headers: {} } as const
  const answer = await send(request, { idleTimeoutMs: IDLE_TIMEOUT_MS, signal })
  return { answer, text: await readText(answer) }
}
