import { countsRows, type ReportOutcome } from '@counterfoil/client'
import { texts } from '../texts.ts'
import type { Transfer } from './transfer.ts'

/** Says what proves a complete report. */
export function proofText({ head }: Transfer, { proof }: ReportOutcome): string {
  const { proofs, digestProofs } = texts.answer
  return countsRows(head.value?.contentType ?? '')
    ? proofs[proof]
    : { ...proofs, ...digestProofs }[proof]
}
