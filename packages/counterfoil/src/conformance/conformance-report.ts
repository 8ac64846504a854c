import type { SignatureMethod } from '@counterfoil/signing'
import type { Result } from './check.ts'

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
