import { statfsSync } from 'node:fs'
import { GatewayError, isProblemCode } from '@counterfoil/common'

/** The limits of one query. */
interface QueryLimits {
  readonly querySeconds: number
  readonly queryBytesMax: number
}

// MEMORY_LIMIT_EXCEEDED, TIMEOUT_EXCEEDED, TOO_SLOW, and the limits on rows and bytes.
const LIMIT_CODES = [241, 159, 160, 158, 307, 396]
const NOT_ENOUGH_SPACE = 243
const TOO_MANY_QUERIES = 202
// ALL_CONNECTION_TRIES_FAILED: a `Distributed` table of the operator misses a server.
const CLUSTER_AWAY = 279

const MEBIBYTE = 1024 ** 2

/** Converts an error of a server to a `GatewayError`. The server's text stays in the cause. */
export function engineFailure(cause: unknown, limits: QueryLimits): GatewayError {
  if (cause instanceof GatewayError) return cause
  const code = clickHouseCode(cause)
  const busy = (message: string) => new GatewayError('engine-busy', message, { cause })
  if (code === TOO_MANY_QUERIES) {
    return busy('Too many queries are running on the ClickHouse server. Retry later.')
  }
  if (code === CLUSTER_AWAY) {
    return busy('A server of the ClickHouse cluster does not answer. Retry later.')
  }
  // All queries together exceeded the memory limit. This query alone might have had enough.
  if (cause instanceof Error && /\(total\) memory limit|User memory limit/.test(cause.message)) {
    return busy(
      'The engine has no memory left for this report. Retry later, or ask for a shorter period.',
    )
  }
  if (LIMIT_CODES.includes(code)) {
    const { querySeconds, queryBytesMax } = limits
    const most = `${Math.floor(queryBytesMax / MEBIBYTE)} MiB of memory or ${querySeconds} s`
    const message = `The report needs more than ${most}. Ask for a shorter period.`
    return new GatewayError('engine-limit', message, { cause })
  }
  return new GatewayError('engine-failed', 'The engine failed to run the report.', { cause })
}

/** Whether an error says that a server has answered, but cannot run one more query. */
export function isBusyServer(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.code !== 'engine-busy') return false
  const { cause } = error
  return !(cause instanceof AggregateError) && clickHouseCode(cause) !== CLUSTER_AWAY
}

/** Reads the number of a ClickHouse error, or 0 if the error has none. */
export function clickHouseCode(error: unknown): number {
  const message = error instanceof Error ? error.message : ''
  return Number(/Code: (\d+)\./.exec(message)?.[1] ?? 0)
}

/** The messages of the system and of SQLite. A failure in a running gateway reaches its command as text alone. */
const FULL = /no space left on device|database or disk is full/i

/**
 * Returns the fault of work that failed because a disk is full, or `undefined` for another failure.
 *
 * @param folder a folder on the disk that the work writes to
 * @param about what needs the space, such as `this import`, and what to do when there is space again
 */
export function diskFault(
  folder: string,
  cause: unknown,
  about: { readonly work: string; readonly retry: string },
): GatewayError | undefined {
  // On a full disk, the engine writes an empty definition of a table, and names another fault when it reads it.
  const isEngines = cause instanceof GatewayError && isProblemCode(cause.code)
  const isFull = isDiskFull(cause) || (isEngines && statfsSync(folder).bavail === 0)
  if (!isFull) return undefined
  const message = `The disk of ${folder} has too little free space for ${about.work}. Free some, and ${about.retry}.`
  return new GatewayError('ledger', message, { cause })
}

/** Whether an error, or one of its causes, says that a disk has no space left. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isFull = clickHouseCode(error) === NOT_ENOUGH_SPACE || FULL.test(error.message)
  return isFull || isDiskFull(error.cause)
}
