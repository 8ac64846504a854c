import { GatewayError } from '../errors.ts'

// What ends a query for want of something: MEMORY_LIMIT_EXCEEDED, TIMEOUT_EXCEEDED, TOO_SLOW, and the limits on rows
// and bytes.
const LIMIT_CODES = new Set([241, 159, 160, 158, 307, 396])

/** What one query may use. */
export interface QueryLimits {
  readonly querySeconds: number
  readonly queryBytesMax: number
}

const MEBIBYTE = 1024 ** 2

/** What the engine threw, as the gateway's own error: the engine's words stay in the cause. */
export function engineFailure(error: unknown, limits: QueryLimits): GatewayError {
  if (error instanceof GatewayError) return error
  if (isTotalMemory(error)) {
    const expected = 'expected memory to be free beside the reports that run'
    return new GatewayError('engine-busy', `${expected}; ask again later`, { cause: error })
  }
  if (LIMIT_CODES.has(clickHouseCode(error))) {
    const { querySeconds, queryBytesMax } = limits
    const most = `${Math.floor(queryBytesMax / MEBIBYTE)} MiB of memory and ${querySeconds} s`
    const message = `expected a report that takes at most ${most}; ask for a shorter range`
    return new GatewayError('engine-limit', message, { cause: error })
  }
  return new GatewayError('engine-failed', 'the engine could not run the report', { cause: error })
}

/** Whether it is all queries together that took too much memory: this one alone might have had enough. */
function isTotalMemory(error: unknown): boolean {
  return error instanceof Error && error.message.includes('(total) memory limit exceeded')
}

/** Reads the number of ClickHouse's error; 0 where there is none. */
export function clickHouseCode(error: unknown): number {
  const message = error instanceof Error ? error.message : ''
  return Number(/Code: (\d+)\./.exec(message)?.[1] ?? 0)
}
