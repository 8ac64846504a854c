import { setTimeout as sleep } from 'node:timers/promises'
import { NetworkError } from '@counterfoil/client'
import { operationPath } from '@counterfoil/protocol'
import type { SignatureMethod } from '@counterfoil/signing'
import { type Answer, exchange, NO_ANSWER } from '../connection/exchange.ts'
import {
  type Asked,
  type Check,
  type CheckTexts,
  type Gateway,
  type GatewaySettings,
  type Level,
  PLAIN_CHECK,
  shown,
  type Subject,
} from './check.ts'
import { type Change, signRequest, type SignedRequest } from './sign-request.ts'

/** The limits of a run of the checks. */
export const CONFORMANCE_LIMITS = {
  /** Requests of one run. A check that would exceed it is skipped. */
  requestsMax: 400,
  /** Time for all checks. */
  totalMs: 15 * 60 * 1000,
  /** Requests without an answer, one after the other, that end a run. */
  unansweredMax: 3,
} as const

const EXCHANGE = { timeoutMs: 60_000, bytesMax: 16 * 1024 * 1024 }

/** The waits for a busy gateway (`Retry-After`) before one request: how many, and how long each. */
const BUSY = { retriesMax: 3, waitMs: 10_000 }

/** What a run needs beside the gateway. */
interface RunOptions {
  readonly nowMs: () => number
  /** Ends the run. */
  readonly signal: AbortSignal
  /** Ends the checks after {@link CONFORMANCE_LIMITS.totalMs}. */
  readonly timeout: AbortSignal
}

/** What a result says of a check that ran, or did not. */
export interface Result extends CheckTexts {
  readonly subject: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly expected?: string
  readonly got?: string
  /** Why the check was skipped. */
  readonly reason?: string
  readonly milliseconds: number
}

/** The results of a run. */
export interface ConformanceReport {
  /** Whether every check passed, or was skipped because it does not apply. */
  readonly ok: boolean
  /** Why the run ended before its last check. */
  readonly endedBy?: string
  /** The report URL. */
  readonly endpoint: string
  readonly login: string
  readonly signatureMethod: SignatureMethod
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly requests: number
  readonly seconds: number
  readonly checks: readonly Result[]
}

/** Why a check was skipped, and with it all others. */
class RunOver extends Error {
  override readonly name = 'RunOver'
}

const OUT_OF_TIME = `the ${CONFORMANCE_LIMITS.totalMs / 60_000} minutes for all checks are over`
const OUT_OF_REQUESTS = `the limit of ${CONFORMANCE_LIMITS.requestsMax} requests is reached`
const KEYS: Readonly<Record<SignatureMethod, string>> = {
  'HMAC-SHA1': 'needs a control key (--control-key-file)',
  'RSA-SHA256': 'needs an RSA key (--private-key)',
}

/**
 * Runs checks one after the other, the plain request first. Skips the others if it gets no report.
 *
 * @throws the error of the plain request if no answer arrives, or the reason of the signal
 */
export async function runChecks(
  subjects: readonly Subject[],
  settings: GatewaySettings,
  options: RunOptions,
): Promise<ConformanceReport> {
  const { nowMs } = options
  const gateway = openGateway(settings, AbortSignal.any([options.signal, options.timeout]))
  const startedAt = nowMs()
  const results: Result[] = []
  let endedBy: string | undefined
  let unanswered = 0
  for (const { name: subject, checks } of subjects) {
    for (const check of checks) {
      const { change: _, judge: __, ...texts } = check
      const checkedAt = nowMs()
      const found = endedBy === undefined ? await runCheck(check, gateway, options) : skip(endedBy)
      const milliseconds = Math.round(nowMs() - checkedAt)
      results.push({ ...texts, subject, ...found, milliseconds })
      unanswered = found.got?.startsWith(NO_ANSWER) ? unanswered + 1 : 0
      if (check.id === PLAIN_CHECK && found.outcome === 'failed') {
        endedBy = 'the plain request got no report'
      } else if (unanswered >= CONFORMANCE_LIMITS.unansweredMax) {
        endedBy ??= 'the gateway does not answer any more'
      } else if (found.reason === OUT_OF_TIME || found.reason === OUT_OF_REQUESTS) {
        endedBy = found.reason
      }
    }
  }
  const count = (outcome: Result['outcome']) => {
    return results.filter((result) => result.outcome === outcome).length
  }
  return {
    ok: count('failed') === 0 && endedBy === undefined,
    ...(endedBy !== undefined && { endedBy }),
    endpoint: settings.endpoint,
    login: settings.login,
    signatureMethod: settings.secret.method,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    requests: gateway.requests(),
    seconds: Math.round(nowMs() - startedAt) / 1000,
    checks: results,
  }
}

type Found = Pick<Result, 'outcome' | 'expected' | 'got' | 'reason'>

function skip(reason: string): Found {
  return { outcome: 'skipped', reason }
}

async function runCheck(
  { id, change, judge, level }: Check,
  gateway: Gateway,
  { signal, timeout }: RunOptions,
): Promise<Found> {
  const needed = change?.needs ?? gateway.secret.method
  if (needed !== gateway.secret.method) return skip(KEYS[needed])
  if (change?.form !== undefined && gateway.apiUrl === undefined) {
    return skip('needs a gateway with payment operations (--api-url)')
  }
  try {
    const { request, answer } = await gateway.ask(change)
    const finding = await judge(answer, { gateway, request, level })
    if ('skip' in finding) return skip(finding.skip)
    const { isRight, expected, got } = finding
    return { outcome: isRight ? 'passed' : 'failed', expected, got }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return skip(OUT_OF_TIME)
    if (error instanceof RunOver) return skip(error.message)
    if (!(error instanceof NetworkError) || id === PLAIN_CHECK) throw error
    return { outcome: 'failed', expected: 'an answer', got: shown(error.message) }
  }
}

function openGateway(settings: GatewaySettings, signal: AbortSignal): Gateway {
  const { endpoint, apiUrl = '', login, secret, report, signBody, ca } = settings
  let requests = 0
  let plain: Promise<Asked> | undefined
  const sign = async (change: Change): Promise<SignedRequest> => {
    const common = { login, secret, now: Date.now() / 1000 }
    if (change.form !== undefined) {
      const url = apiUrl.replace(/\/$/, '') + operationPath({ name: 'payout' }, '1')
      const contentType = 'application/x-www-form-urlencoded'
      return await signRequest({ ...common, url, contentType, body: change.form }, change)
    }
    const body = JSON.stringify({ ...report, ...change.members })
    const bodyHash = signBody ? 'SHA-256' : undefined
    const contentType = 'application/json'
    return await signRequest({ ...common, url: endpoint, contentType, body, bodyHash }, change)
  }
  const send = async (request: SignedRequest): Promise<Answer> => {
    if (requests === CONFORMANCE_LIMITS.requestsMax) throw new RunOver(OUT_OF_REQUESTS)
    requests += 1
    return await exchange(request, { ca, signal, ...EXCHANGE })
  }
  const retry = async (change: Change): Promise<Asked> => {
    for (let tries = 1; ; tries += 1) {
      const request = await sign(change)
      const answer = await send(request)
      const isBusy = answer.status === 429 || answer.status === 503
      if (!isBusy || tries > BUSY.retriesMax) return { request, answer }
      const seconds = Number(answer.headers['retry-after'] ?? 1)
      await sleep(Math.min((Number.isNaN(seconds) ? 1 : seconds) * 1000, BUSY.waitMs), undefined, {
        signal,
      })
    }
  }
  const ask = async (change?: Change) => await (change ? retry(change) : (plain ??= retry({})))
  return { ...settings, ask, send, requests: () => requests }
}

/** Selects checks by their ids and their level. The plain request is always one of them. */
export function selectChecks(
  subjects: readonly Subject[],
  { only, level }: { readonly only?: readonly string[] | undefined; readonly level: Level },
): readonly Subject[] {
  const isSelected = ({ id, level: own }: Check): boolean => {
    if (id === PLAIN_CHECK) return true
    return (only?.includes(id) ?? true) && (level === 'should' || own === 'must')
  }
  return subjects
    .map(({ name, checks }) => ({ name, checks: checks.filter(isSelected) }))
    .filter(({ checks }) => checks.length > 0)
}
