import type { Subject } from '../check.ts'
import { ACCEPTED_SIGNATURES } from './accepted-signatures.ts'
import { COMPLETENESS } from './completeness.ts'
import { CSV } from './csv.ts'
import { OPERATION_FORMS } from './operations.ts'
import { REFUSALS } from './refusals.ts'
import { REFUSED_SIGNATURES } from './refused-signatures.ts'
import { REQUESTS } from './requests.ts'

/** Every check, by subject, in the order in which they run. */
export const SUBJECTS: readonly Subject[] = [
  ACCEPTED_SIGNATURES,
  ...REFUSED_SIGNATURES,
  REFUSALS,
  REQUESTS,
  CSV,
  COMPLETENESS,
  OPERATION_FORMS,
]
