import { GatewayError } from '@counterfoil/common'

// Codes of exceeded limits: MEMORY_LIMIT_EXCEEDED, TIMEOUT_EXCEEDED, TOO_SLOW, and the limits on rows and bytes.
const LIMIT_CODES = new Set([241, 159, 160, 158, 307, 396])

/** The limits of one query. */
export interface QueryLimits {
  readonly querySeconds: number
  readonly queryBytesMax: number
}

const MEBIBYTE = 1024 ** 2

/** Converts an error of the engine to a `GatewayError`. The engine's text stays in the cause. */
export function engineFailure(error: unknown, limits: QueryLimits): GatewayError {
  if (error instanceof GatewayError) return error
  if (isTotalMemory(error)) {
    const message =
      'The engine has no memory left for this report. Retry later, or ask for a shorter period.'
    return new GatewayError('engine-busy', message, { cause: error })
  }
  if (LIMIT_CODES.has(clickHouseCode(error))) {
    const { querySeconds, queryBytesMax } = limits
    const most = `${Math.floor(queryBytesMax / MEBIBYTE)} MiB of memory or ${querySeconds} s`
    const message = `The report needs more than ${most}. Ask for a shorter period.`
    return new GatewayError('engine-limit', message, { cause: error })
  }
  return new GatewayError('engine-failed', 'The engine failed to run the report.', { cause: error })
}

/** Whether all queries together exceeded the memory limit. This query alone might have had enough. */
function isTotalMemory(error: unknown): boolean {
  return error instanceof Error && /\(total\) memory limit|User memory limit/.test(error.message)
}

/** Reads the number of a ClickHouse error, or 0 if the error has none. */
export function clickHouseCode(error: unknown): number {
  const message = error instanceof Error ? error.message : ''
  return Number(/Code: (\d+)\./.exec(message)?.[1] ?? 0)
}
