import { NetworkError } from '@counterfoil/client'
import { NO_ANSWER } from '../connection/exchange.ts'
import type { SignatureMethod } from '@counterfoil/signing'
import { shown } from './answer.ts'
import { type Check, PLAIN_CHECK, type Result, type Subject } from './check.ts'
import { type Gateway, TooManyRequests } from './gateway.ts'
import { CONFORMANCE_LIMITS } from './limits.ts'

/** What a run needs beside the gateway. */
export interface RunOptions {
  readonly nowMs: () => number
  /** Ends the run. */
  readonly signal: AbortSignal
  /** Ends the checks after {@link CONFORMANCE_LIMITS.totalMs}. The gateway's requests listen to it too. */
  readonly timeout: AbortSignal
}

/** The results of a run. */
export interface Run {
  /** A result for each check, in their order. */
  readonly results: readonly Result[]
  /** Why the run ended before its last check. */
  readonly endedBy?: string
}

const OVER: Readonly<Record<'time' | 'requests', string>> = {
  time: `the ${CONFORMANCE_LIMITS.totalMs / 60_000} minutes for all checks are over`,
  requests: `the limit of ${CONFORMANCE_LIMITS.requestsMax} requests is reached`,
}
const KEYS: Readonly<Record<SignatureMethod, string>> = {
  'HMAC-SHA1': 'needs a control key (--control-key-file)',
  'RSA-SHA256': 'needs an RSA key (--private-key)',
}
const NEEDS_OPERATIONS = 'needs a gateway with payment operations (--api-url)'
const NO_REPORT = 'the plain request got no report'
const NO_ANSWERS = 'the gateway does not answer any more'

/**
 * Runs checks one after the other, the plain request first. Skips the others if it gets no report.
 *
 * @throws the error of the plain request if no answer arrives, or the reason of the signal
 */
export async function runChecks(
  subjects: readonly Subject[],
  gateway: Gateway,
  options: RunOptions,
): Promise<Run> {
  const results: Result[] = []
  let endedBy: string | undefined
  let unanswered = 0
  for (const { name, checks } of subjects) {
    for (const check of checks) {
      const { change: _, judge: __, ...texts } = check
      const startedAt = options.nowMs()
      const found =
        endedBy === undefined ? await runCheck(check, gateway, options) : skipped(endedBy)
      const milliseconds = Math.round(options.nowMs() - startedAt)
      results.push({ ...texts, subject: name, ...found, milliseconds })
      unanswered = found.got?.startsWith(NO_ANSWER) ? unanswered + 1 : 0
      const isUseless = check.id === PLAIN_CHECK && found.outcome === 'failed'
      const isDead = unanswered >= CONFORMANCE_LIMITS.unansweredMax
      endedBy ??= isUseless ? NO_REPORT : isDead ? NO_ANSWERS : overBy(found)
    }
  }
  return { results, ...(endedBy !== undefined && { endedBy }) }
}

type Found = Pick<Result, 'outcome' | 'expected' | 'got' | 'reason'>

async function runCheck(
  check: Check,
  gateway: Gateway,
  { signal, timeout }: RunOptions,
): Promise<Found> {
  const { change, judge, level } = check
  const needed = change?.needs
  if (needed !== undefined && needed !== gateway.secret.method) return skipped(KEYS[needed])
  if (change?.form !== undefined && gateway.apiUrl === undefined) return skipped(NEEDS_OPERATIONS)
  try {
    const { request, answer } = await gateway.ask(change)
    const finding = await judge(answer, { gateway, request, level })
    if ('skip' in finding) return skipped(finding.skip)
    const { isRight, expected, got } = finding
    return { outcome: isRight ? 'passed' : 'failed', expected, got }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return skipped(OVER.time)
    if (error instanceof TooManyRequests) return skipped(OVER.requests)
    if (!(error instanceof NetworkError) || check.id === PLAIN_CHECK) throw error
    return { outcome: 'failed', expected: 'an answer', got: shown(error.message) }
  }
}

/** Returns the limit that ended a check, and so the run. */
function overBy({ reason }: Found): string | undefined {
  return Object.values(OVER).find((limit) => limit === reason)
}

function skipped(reason: string): Found {
  return { outcome: 'skipped', reason }
}

/** Selects checks by their ids and their level. The plain request is always one of them. */
export function selectChecks(
  subjects: readonly Subject[],
  {
    only,
    level,
  }: { readonly only?: readonly string[] | undefined; readonly level: Check['level'] },
): readonly Subject[] {
  const isSelected = ({ id, level: own }: Check): boolean => {
    if (id === PLAIN_CHECK) return true
    return (only?.includes(id) ?? true) && (level === 'should' || own === 'must')
  }
  return subjects
    .map(({ name, checks }) => ({ name, checks: checks.filter(isSelected) }))
    .filter(({ checks }) => checks.length > 0)
}
