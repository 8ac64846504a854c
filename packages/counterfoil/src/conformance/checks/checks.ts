import type { Subject } from '../check.ts'
import { REPORTS } from './reports.ts'
import { OPERATION_FORMS, REFUSAL, REPORT_REQUESTS } from './requests.ts'
import { SIGNATURES } from './signatures.ts'

/** Every check, by subject, in the order in which they run. */
export const SUBJECTS: readonly Subject[] = [
  ...SIGNATURES,
  REFUSAL,
  REPORT_REQUESTS,
  ...REPORTS,
  OPERATION_FORMS,
]
