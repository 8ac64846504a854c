import { describeBypassedCheck } from '../kit/bypassed-check.ts'
import { openScratchLedger } from '../kit/scratch-ledger.ts'

describeBypassedCheck(openScratchLedger)
