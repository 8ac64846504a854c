import type { SignatureMethod } from '@counterfoil/signing'
import type { Answer } from './answer.ts'
import type { Gateway } from './gateway.ts'
import type { Change, SignedRequest } from './sign-request.ts'

/** The check of the plain request. The other checks mean nothing if it fails. */
export const PLAIN_CHECK = 'plain-request'

/** How binding a check is: a gateway must pass it, or should. */
export type Level = 'must' | 'should'

/** What a check found. */
export type Finding =
  | { readonly isRight: boolean; readonly expected: string; readonly got: string }
  /** The check does not apply to this gateway or this run. */
  | { readonly skip: string }

/** Compares an answer with what the check expects. It may send further requests. */
export type Judge = (answer: Answer, sent: Sent) => Finding | Promise<Finding>

/** What a check sent, and to whom. */
export interface Sent {
  readonly gateway: Gateway
  readonly request: SignedRequest
  readonly level: Level
}

/** What every check says about itself. */
interface CheckTexts {
  /** Stable, in kebab-case. */
  readonly id: string
  readonly level: Level
  /** What the gateway does, as a sentence without a subject: "refuses a request that is sent twice". */
  readonly title: string
  /** The clause that says so. */
  readonly clause: string
  /** What the check sends, in words. */
  readonly sent: string
}

/** One check of a gateway: a request, and what must come back. */
export interface Check extends CheckTexts {
  /** How the request differs from the plain one. Undefined if it does not. */
  readonly change: Change | undefined
  readonly judge: Judge
}

/** Checks of one subject. */
export interface Subject {
  readonly name: string
  readonly checks: readonly Check[]
}

/** A line of a table of checks. The table has the judge of the lines that have none. */
export type CheckRow = readonly [
  id: string,
  level: Level,
  title: string,
  clause: string,
  sent: string,
  change?: Change | undefined,
  judge?: Judge,
]

/** Reads a table of checks. */
export function checksOf(rows: readonly CheckRow[], usual: Judge): readonly Check[] {
  return rows.map(([id, level, title, clause, sent, change, judge = usual]) => {
    return { id, level, title, clause, sent, change, judge }
  })
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
