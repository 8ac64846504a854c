// What every part of the gateway uses: errors, limits, the fair queue, times, files.

export { databaseAddress, isLoopback } from './database-address.ts'
export {
  codeOf,
  type ErrorCode,
  fieldProblem,
  GatewayError,
  isErrorCode,
  isProblemCode,
  messageOf,
  type ProblemCode,
  PROBLEMS,
} from './errors.ts'
export { FairQueue, type Leave, STRANGERS } from './fair-queue.ts'
export {
  type Cursor,
  formatCursor,
  formatInstant,
  isKnownZone,
  offsetMs,
  parseCursor,
  parseInstant,
} from './instants.ts'
export { LIMITS } from './limits.ts'
export { lockFolder, waitForFolder } from './lock-folder.ts'
export {
  type PasswordSource,
  readPassword,
  readPrivateFile,
  readRegularFile,
} from './read-files.ts'
export { checkYaml, readText, readYaml } from './read-yaml.ts'
export { type Role, ROLES } from './roles.ts'
export { shareFor, unlessAborted } from './shared-promises.ts'
export { freeMemory, SLICE_BYTES, Turn } from './turn.ts'
export { CARD_NUMBER_MARK, withoutCardNumber } from './without-card-number.ts'
