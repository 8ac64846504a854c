import type { OperationName } from '@counterfoil/protocol'
import type { OperationHandler } from './handler.ts'
import { panEligibility } from './pan-eligibility.ts'
import { payout } from './payout.ts'
import { transferByRef } from './transfer-by-ref.ts'
import { transfer } from './transfer.ts'

/** The handlers by the name of the operation. */
export const HANDLERS: Readonly<Record<OperationName, OperationHandler>> = {
  'pan-eligibility': panEligibility,
  transfer,
  'transfer-by-ref': transferByRef,
  payout,
}
