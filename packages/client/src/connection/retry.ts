import { CounterfoilError } from '../errors/counterfoil-error.ts'
import { tlsFaultOf } from '../errors/connection-faults.ts'

/**
 * Runs an attempt, and again after an error that may pass. Waits twice as long each time, with jitter, and at least as
 * long as the gateway asks. Throws the error of the last attempt, or the signal's reason. If the last attempt found no
 * connection, throws the first error, which says what went wrong with the request.
 */
export type Retry = <T>(attempt: () => Promise<T>, signal?: AbortSignal) => Promise<T>

const FIRST_WAIT_MS = 500
/** The client throws `busy` if the gateway asks it to wait longer. */
const RETRY_AFTER_SECONDS_MAX = 60

export function createRetry(
  retriesMax: number,
  mayRetry: (error: CounterfoilError) => boolean,
  random = () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
): Retry {
  return async (attempt, signal) => {
    let first: CounterfoilError | undefined
    for (let retries = 0; ; retries += 1) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof CounterfoilError) || !mayRetry(error)) throw error
        first ??= error
        if (retries >= retriesMax) throw lastError(first, error)
        const seconds = error.code === 'busy' ? (error.retryAfterSeconds ?? 0) : 0
        if (seconds > RETRY_AFTER_SECONDS_MAX) throw error
        const spread = FIRST_WAIT_MS * 2 ** retries * (0.5 + random() / 2)
        await wait(seconds * 1000 + spread, signal)
      }
    }
  }
}

function lastError(first: CounterfoilError, last: CounterfoilError): CounterfoilError {
  if (last.code !== 'network-error' || first.code === 'network-error') return last
  first.message += `; the retries failed: ${last.message}`
  return first
}

/** Whether a request that changes nothing may run again: after 429, 502, 503, 504, and after a broken connection. */
export function isTransient(error: CounterfoilError): boolean {
  if (error.code === 'unexpected-body') return error.status === 502 || error.status === 504
  if (error.code === 'network-error') return tlsFaultOf(error.cause) === undefined
  return error.code === 'busy' || (error.code === 'truncated' && error.reason === 'cut')
}

/** Whether a request that changes something may run again: only if the client sent nothing. */
export function isUnsent(error: CounterfoilError): boolean {
  return error.code === 'network-error' && error.nothingSent && isTransient(error)
}

/** Throws the signal's reason if the signal aborts. */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
