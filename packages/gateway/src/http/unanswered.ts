import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS } from '../limits.ts'

interface Waiting {
  readonly response: ServerResponse
  readonly answer: () => void
}

/**
 * The requests of each connection that are not answered yet. A client may send more before it has its answers
 * (pipelining): each of them is answered once the one before it has its answer, and none after the connection has ended.
 */
export class Unanswered {
  readonly #waiting = new WeakMap<Socket, Waiting[]>()

  /**
   * Answers a request when it is its turn; returns false, and forgets it, where the connection has
   * `LIMITS.pipelinedRequestsMax` already.
   */
  begin(socket: Socket, response: ServerResponse, answer: () => void): boolean {
    const waiting = this.#waiting.get(socket) ?? []
    if (waiting.length >= LIMITS.pipelinedRequestsMax) return false
    waiting.push({ response, answer })
    this.#waiting.set(socket, waiting)
    if (waiting.length === 1) answerFirst(socket, waiting)
    return true
  }

  /** The responses of a connection, in their order. */
  of(socket: Socket): readonly ServerResponse[] {
    return (this.#waiting.get(socket) ?? []).map(({ response }) => response)
  }
}

function answerFirst(socket: Socket, waiting: Waiting[]): void {
  const [first] = waiting
  // A response on a connection that ends would never be closed.
  if (first === undefined || !socket.writable) return
  first.response.once('close', () => {
    waiting.shift()
    answerFirst(socket, waiting)
  })
  first.answer()
}
