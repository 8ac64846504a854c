import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { GatewayError, LIMITS } from '@counterfoil/common'

const FIRST_BYTES = 4096

/** The memory that request bodies may use before their senders are authenticated. */
export class BodyMemory {
  #bytes = 0

  /**
   * Replaces one amount of memory by another. Small bodies count 0, so that large ones never block an ordinary request.
   * @returns false, and changes nothing, if too little memory is left
   */
  change(from: number, to: number): boolean {
    const bytes = this.#bytes + charge(to) - charge(from)
    if (to > from && bytes > LIMITS.bodiesBytesMax) return false
    this.#bytes = bytes
    return true
  }
}

function charge(bytes: number): number {
  return bytes > LIMITS.smallBodyBytesMax ? bytes : 0
}

/**
 * Reads a request's body into one growing buffer. Fastify's parser would keep each piece, and a body of 1 MiB may come
 * in a million pieces that take a hundred times as much memory.
 * @throws `body-too-large`; `gateway-busy` if the memory for bodies is used up; the reason of the signal if the sender
 * has disconnected
 */
export async function readBody(
  message: IncomingMessage,
  bytesMax: number,
  memory: BodyMemory,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly release: () => void }> {
  if (Number(message.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  let buffer = Buffer.alloc(0)
  let length = 0
  const release = (): void => {
    memory.change(buffer.length, 0)
    buffer = Buffer.alloc(0)
  }
  try {
    for await (const piece of message.iterator({ destroyOnReturn: false })) {
      const needed = length + piece.length
      if (needed > bytesMax) throw tooLarge(bytesMax)
      if (needed > buffer.length) {
        const capacity = capacityFor(needed, bytesMax)
        if (!memory.change(buffer.length, capacity)) throw tooManyBodies()
        const grown = Buffer.allocUnsafeSlow(capacity)
        grown.set(buffer.subarray(0, length))
        buffer = grown
      }
      buffer.set(piece, length)
      length = needed
    }
  } catch (error) {
    release()
    signal.throwIfAborted()
    throw error
  }
  return { bytes: buffer.subarray(0, length), release }
}

/** Doubles the buffer, but never makes a small body count as large. */
function capacityFor(needed: number, bytesMax: number): number {
  const { smallBodyBytesMax } = LIMITS
  const most = needed > smallBodyBytesMax ? bytesMax : smallBodyBytesMax
  return Math.min(most, Math.max(FIRST_BYTES, 2 * needed))
}

/** Drops the rest of a request's body. Resolves at the end of the body, or after `LIMITS.lingerMs`. */
export async function discardBody(message: IncomingMessage): Promise<void> {
  message.resume()
  await finished(message, { signal: AbortSignal.timeout(LIMITS.lingerMs) }).catch(() => {})
}

function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('body-too-large', `expected a body of at most ${inUnits(bytesMax)}`)
}

function tooManyBodies(): GatewayError {
  const advice = `Sign again and retry in ${LIMITS.retryAfterSeconds} seconds.`
  return new GatewayError('gateway-busy', `The gateway receives too many large bodies. ${advice}`)
}

function inUnits(bytes: number): string {
  const kibibytes = bytes / 1024
  return kibibytes < 1024 ? `${Math.floor(kibibytes)} KiB` : `${Math.floor(kibibytes / 1024)} MiB`
}
