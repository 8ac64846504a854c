import type { Operation, OperationName } from './operation.ts'
import { PAN_ELIGIBILITY } from './pan-eligibility.ts'
import { PAYOUT } from './payout.ts'
import { TRANSFER } from './transfer.ts'
import { TRANSFER_BY_REF } from './transfer-by-ref.ts'

/** The form operations by name. To add one, add a declaration, a line here, and a handler in the gateway. */
export const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  'pan-eligibility': PAN_ELIGIBILITY,
  transfer: TRANSFER,
  'transfer-by-ref': TRANSFER_BY_REF,
  payout: PAYOUT,
}
