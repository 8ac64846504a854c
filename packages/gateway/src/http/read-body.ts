import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { type ConnectionLimits, networkOf } from './connections.ts'

/** A request's body, and the function that frees its memory. */
export interface ReceivedBody {
  readonly bytes: Uint8Array
  readonly release: () => void
}

const FIRST_BYTES = 4096
const BYTES_PER_PIECE = 64

/**
 * The memory that request bodies may use before their senders are authenticated. One address gets a share of it, so
 * that a stranger's large bodies leave memory for the bodies of others.
 */
export class BodyMemory {
  readonly #bytesOfNetworkMax: number
  readonly #bytesOfNetworks = new Map<string, number>()
  #bytesOfAll = 0

  /** One address has a share of the memory, unless it may have all connections. */
  constructor({ max, perAddressMax }: Omit<ConnectionLimits, 'isTight'>) {
    this.#bytesOfNetworkMax =
      LIMITS.bodiesBytesMax * (perAddressMax < max ? LIMITS.addressShareMax : 1)
  }

  /**
   * Replaces one amount of a network's memory by another.
   * @returns false, and changes nothing, if too little memory is left
   */
  change(network: string, from: number, to: number): boolean {
    const more = charge(to) - charge(from)
    const bytesOfAll = this.#bytesOfAll + more
    const bytes = (this.#bytesOfNetworks.get(network) ?? 0) + more
    const isTooMuch = bytesOfAll > LIMITS.bodiesBytesMax || bytes > this.#bytesOfNetworkMax
    if (to > from && isTooMuch) return false
    this.#bytesOfAll = bytesOfAll
    if (bytes > 0) this.#bytesOfNetworks.set(network, bytes)
    else this.#bytesOfNetworks.delete(network)
    return true
  }
}

/** Returns the bytes that count. Small bodies count 0, so a stranger's large bodies never block an ordinary request. */
function charge(bytes: number): number {
  return bytes > LIMITS.smallBodyBytesMax ? bytes : 0
}

/**
 * Reads a request's body into one growing buffer.
 * @throws `body-too-large`; `malformed-http` for a body in too many pieces; `gateway-busy` if the memory for bodies is
 * used up; the reason of the signal if the sender has disconnected
 */
export async function readBody(
  message: IncomingMessage,
  { bytesMax, memory, signal }: BodyLimits,
): Promise<ReceivedBody> {
  const declared = Number(message.headers['content-length'] ?? 0)
  if (declared > bytesMax) throw tooLarge(bytesMax)
  const network = networkOf(message.socket.remoteAddress ?? '')
  const body = new GrowingBody(bytesMax, (from, to) => memory.change(network, from, to))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onData = (piece: Uint8Array): void => {
    try {
      body.add(piece)
    } catch (error) {
      reject(error)
    }
  }
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  message.on('data', onData).once('end', resolve).once('error', reject)
  try {
    signal.throwIfAborted()
    await promise
  } catch (error) {
    body.release()
    // A sender that disconnects makes `message` fail too. The caller of this function expects the signal's reason.
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    message.off('data', onData)
  }
  return { bytes: body.bytes(), release: () => body.release() }
}

/** The limits of reading a body. */
export interface BodyLimits {
  readonly bytesMax: number
  readonly memory: BodyMemory
  readonly signal: AbortSignal
}

type ChangeMemory = (from: number, to: number) => boolean

class GrowingBody {
  readonly #bytesMax: number
  readonly #changeMemory: ChangeMemory
  #buffer = new Uint8Array()
  #length = 0
  #pieces = 0

  constructor(bytesMax: number, changeMemory: ChangeMemory) {
    this.#bytesMax = bytesMax
    this.#changeMemory = changeMemory
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#bytesMax) throw tooLarge(this.#bytesMax)
    this.#pieces += 1
    if (this.#pieces > LIMITS.bodyPiecesMax + length / BYTES_PER_PIECE) throw tooManyPieces()
    if (length > this.#buffer.length) this.#grow(length)
    this.#buffer.set(piece, this.#length)
    this.#length = length
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  release(): void {
    this.#changeMemory(this.#buffer.length, 0)
    this.#buffer = new Uint8Array()
  }

  #grow(needed: number): void {
    const doubled = Math.max(FIRST_BYTES, needed, 2 * this.#buffer.length)
    // Without this, doubling the buffer of a small body could make it count as large.
    const { smallBodyBytesMax } = LIMITS
    const most = needed > smallBodyBytesMax ? this.#bytesMax : smallBodyBytesMax
    const capacity = Math.min(most, doubled)
    if (!this.#changeMemory(this.#buffer.length, capacity)) {
      const advice = `Sign again and retry in ${LIMITS.retryAfterSeconds} seconds.`
      throw new GatewayError(
        'gateway-busy',
        `The gateway receives too many large bodies. ${advice}`,
      )
    }
    const grown = Buffer.allocUnsafeSlow(capacity)
    grown.set(this.bytes())
    this.#buffer = grown
  }
}

/**
 * Reads the rest of a request's body and drops it. Resolves at the end of the body, or after `LIMITS.lingerMs`. Stops
 * reading beyond the limits of a body.
 */
export async function discardBody(message: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let [bytes, pieces] = [0, 0]
  const onData = (piece: Uint8Array): void => {
    bytes += piece.length
    pieces += 1
    if (bytes <= LIMITS.bodyBytesMax && pieces <= LIMITS.bodyPiecesMax) return
    // A paused socket would not do: the message starts it again as long as it flows.
    message.pause()
    message.off('data', onData)
  }
  const timer = setTimeout(resolve, LIMITS.lingerMs)
  message.on('data', onData).once('end', resolve).once('close', resolve)
  message.on('error', () => resolve())
  await promise
  clearTimeout(timer)
}

function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('body-too-large', `expected a body of at most ${inUnits(bytesMax)}`)
}

function tooManyPieces(): GatewayError {
  const message = 'The body arrives in too many small pieces. Send larger pieces.'
  return new GatewayError('malformed-http', message)
}

function inUnits(bytes: number): string {
  const kibibytes = bytes / 1024
  return kibibytes < 1024 ? `${Math.floor(kibibytes)} KiB` : `${Math.floor(kibibytes / 1024)} MiB`
}
