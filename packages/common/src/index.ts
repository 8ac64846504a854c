// What every part of the gateway uses: errors, limits, the fair queue, times, files.

export {
  type ErrorCode,
  fieldProblem,
  GatewayError,
  isErrorCode,
  isProblemCode,
  type ProblemCode,
  PROBLEMS,
} from './errors.ts'
export { FairQueue, type Leave, STRANGERS } from './fair-queue.ts'
export { freeMemory } from './free-memory.ts'
export { type Cursor, formatCursor, formatInstant, parseCursor, parseInstant } from './instants.ts'
export { LIMITS } from './limits.ts'
export { lockFolder, waitForFolder } from './lock-folder.ts'
export { type PasswordSource, readPassword, readPrivateFile } from './read-private-file.ts'
export { readRegularFile } from './read-regular-file.ts'
export { checkYaml, readText, readYaml } from './read-yaml.ts'
export { type Role, ROLES } from './roles.ts'
export { shareFor } from './share-for.ts'
export { SLICE_BYTES, Turn } from './turn.ts'
export { unlessAborted } from './unless-aborted.ts'
export { CARD_NUMBER_MARK, withoutCardNumber } from './without-card-number.ts'
export { isKnownZone, offsetMs } from './zone-clock.ts'
