import type { ReportOutcome } from '@counterfoil/client'
import { texts } from '../texts.ts'
import type { Transfer } from './transfer.ts'

/** Says what proves a complete report. The client counts the rows of CSV only. */
export function proofText({ head }: Transfer, { proof }: ReportOutcome): string {
  const { proofs, digestProofs } = texts.answer
  const isCounted = /^text\/csv\b/i.test(head.value?.contentType ?? '')
  return isCounted ? proofs[proof] : { ...proofs, ...digestProofs }[proof]
}
