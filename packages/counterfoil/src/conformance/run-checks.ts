import { CounterfoilError } from '@counterfoil/client'
import type { ReportRequest } from '@counterfoil/protocol'
import type { GatewayConnection } from '../connection/read-connection.ts'
import { table } from '../print/text.ts'
import { type Check, describeAnswer, type Gateway, type Subject } from './check.ts'
import { exchange } from './exchange.ts'
import { type Change, type Secret, signRequest, type SignedRequest } from './sign-request.ts'

type GatewaySettings = GatewayConnection & {
  readonly secret: Secret
  readonly report: ReportRequest
}

interface Found {
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly expected?: string
  readonly got?: string
  readonly reason?: string
}

export type Result = Found &
  Readonly<Record<'subject' | 'id' | 'level' | 'title' | 'clause' | 'sent', string>>

const KEYS: Readonly<Record<Secret['method'], string>> = {
  'HMAC-SHA1': 'needs a control key (--control-key-file)',
  'RSA-SHA256': 'needs an RSA key (--private-key)',
}

/** Requests without an answer, one after the other, that end a run. */
const UNANSWERED_MAX = 3

/**
 * Runs checks one after the other, of which the first is the plain request. Skips the others if it gets no report, or
 * if the gateway does not answer any more. Throws if the plain request gets no answer.
 */
export async function runChecks(
  subjects: readonly Subject[],
  settings: GatewaySettings,
  signal: AbortSignal,
): Promise<{ readonly endedBy: string | undefined; readonly results: readonly Result[] }> {
  const gateway = openGateway(settings, signal)
  const results: Result[] = []
  let endedBy: string | undefined
  let unanswered = 0
  for (const subject of subjects) {
    for (const check of subject.checks) {
      const [id, level, title, clause, sent, change] = check
      const needs = change?.needs ?? settings.secret.method
      const reason = endedBy ?? (needs === settings.secret.method ? undefined : KEYS[needs])
      const found: Found =
        reason === undefined
          ? await runCheck(check, subject, gateway).catch((error: unknown) => {
              signal.throwIfAborted()
              if (!(error instanceof CounterfoilError) || results.length === 0) throw error
              return { outcome: 'failed', expected: 'an answer', got: error.message }
            })
          : { outcome: 'skipped', reason }
      results.push({ subject: subject.name, id, level, title, clause, sent, ...found })
      unanswered = found.expected === 'an answer' ? unanswered + 1 : 0
      if (unanswered === UNANSWERED_MAX) endedBy = 'the gateway does not answer any more'
      if (results.length === 1 && found.outcome === 'failed') {
        endedBy = 'the plain request got no report'
      }
    }
  }
  return { endedBy, results }
}

async function runCheck(
  [, , , , , change, own]: Check,
  { judge }: Subject,
  gateway: Gateway,
): Promise<Found> {
  const { request, answer } = await gateway.ask(change)
  const finding = await (own ?? judge)(answer, { gateway, request })
  if (finding && 'skip' in finding) return { outcome: 'skipped', reason: finding.skip }
  const outcome = finding?.expected === undefined ? 'passed' : 'failed'
  return { outcome, got: describeAnswer(answer), ...finding }
}

function openGateway(settings: GatewaySettings, signal: AbortSignal): Gateway {
  const { endpoint: url, login, secret, report, signBody, ca } = settings
  const send = async (request: SignedRequest) => await exchange(request, ca, signal)
  const request = async (change: Change) => {
    const body = JSON.stringify({ ...report, ...change.members })
    const bodyHash = signBody ? ('SHA-256' as const) : undefined
    const signed = await signRequest({ url, login, secret, body, bodyHash }, change)
    return { request: signed, answer: await send(signed) }
  }
  let plain: ReturnType<Gateway['ask']> | undefined
  const ask = async (change?: Change) => await (change ? request(change) : (plain ??= request({})))
  return { secret, ask, send }
}

/** Selects checks by their ids. The plain request is always one of them. */
export function selectChecks(
  subjects: readonly Subject[],
  only: readonly string[] | undefined,
): readonly Subject[] {
  const plain = subjects[0]?.checks[0]
  return subjects.map((subject) => {
    const isSelected = (check: Check) => check === plain || (only?.includes(check[0]) ?? true)
    return { ...subject, checks: subject.checks.filter(isSelected) }
  })
}

const WIDTH = 100
const OUTCOMES = { passed: 'passed', failed: 'FAILED', skipped: 'skipped' } as const

/** Describes the result of a check for people, in lines of at most 100 characters. */
export function describeResult(result: Result): string {
  const { id, title, outcome, level, clause, sent, expected = '', got = '', reason = '' } = result
  const cells = [OUTCOMES[outcome].padEnd(8), id.padEnd(32), title]
  const failure = Object.entries({ level, clause, sent, expected, got })
  const details = { passed: [], failed: failure, skipped: [['why', reason]] }[outcome]
  // Words that are longer than a line break.
  const rows = details.map(([name = '', text = '']) => [
    name,
    text.replaceAll(/\S{70}(?=\S)/g, '$& '),
  ])
  return table([cells], { indent: 2, width: WIDTH }) + table(rows, { indent: 12, width: WIDTH })
}
