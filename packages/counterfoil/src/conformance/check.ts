import type { Answer } from './answer.ts'
import type { Gateway } from './gateway.ts'

/** The check of the plain request. The other checks mean nothing if it fails. */
export const PLAIN_CHECK = 'plain-request'

/** How binding a check is: a gateway must pass it, or should. */
export type Level = 'must' | 'should'

/** What a check found. */
export type Finding =
  | { readonly isRight: boolean; readonly expected: string; readonly got: string }
  /** The check does not apply to this gateway or this run. */
  | { readonly skip: string }

/** One check of a gateway. */
export interface Check {
  /** Stable, in kebab-case. */
  readonly id: string
  /** What the gateway does, as a sentence without a subject: "refuses a request that is sent twice". */
  readonly title: string
  /** The clause that says so. */
  readonly clause: string
  readonly level: Level
  /** What the check sends, in words. */
  readonly sent: string
  readonly run: (gateway: Gateway) => Promise<Finding>
}

/** Checks of one subject. */
export interface Subject {
  readonly name: string
  readonly checks: readonly Check[]
}

/** What a result says of a check that ran, or did not. */
export interface Result extends Omit<Check, 'run'> {
  readonly subject: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly expected?: string
  readonly got?: string
  /** Why the check was skipped. */
  readonly reason?: string
  readonly milliseconds: number
}

/** Reads what a check found in an answer. */
export type Judge = (answer: Answer) => Finding
