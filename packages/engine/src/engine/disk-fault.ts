import { statfsSync } from 'node:fs'
import { GatewayError, isProblemCode } from '@counterfoil/common'
import { clickHouseCode } from './engine-failure.ts'

const NOT_ENOUGH_SPACE = 243

/** The messages of the system and of SQLite. A failure in a running gateway reaches its command as text alone. */
const FULL = /no space left on device|database or disk is full/i

/** Work that needs space on a disk. */
export interface DiskWork {
  /** What needs the space, such as `this import`. */
  readonly work: string
  /** What to do when there is space again. */
  readonly retry: string
}

/**
 * Returns the fault of work that failed because a disk is full, or `undefined` for another failure.
 *
 * @param folder a folder on the disk that the work writes to
 */
export function diskFault(
  folder: string,
  cause: unknown,
  { work, retry }: DiskWork,
): GatewayError | undefined {
  // On a full disk, the engine writes an empty definition of a table, and names another fault when it reads it.
  const isEngines = cause instanceof GatewayError && isProblemCode(cause.code)
  const isFull = isDiskFull(cause) || (isEngines && statfsSync(folder).bavail === 0)
  if (!isFull) return undefined
  const message = `The disk of ${folder} has too little free space for ${work}. Free some, and ${retry}.`
  return new GatewayError('ledger', message, { cause })
}

/** Whether an error, or one of its causes, says that a disk has no space left. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isFull = clickHouseCode(error) === NOT_ENOUGH_SPACE || FULL.test(error.message)
  return isFull || isDiskFull(error.cause)
}
