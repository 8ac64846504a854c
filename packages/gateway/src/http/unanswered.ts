import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS } from '../limits.ts'

interface Waiting {
  readonly response: ServerResponse
  readonly answer: () => void
}

/**
 * Holds the unanswered requests of each connection. A client may send requests before it has the earlier answers
 * (pipelining). The gateway answers them one after the other, and stops when the connection ends.
 */
export class Unanswered {
  readonly #waiting = new WeakMap<Socket, Waiting[]>()

  /**
   * Answers a request when all earlier requests of the connection have their answers.
   * @returns false, and drops the request, if `LIMITS.pipelinedRequestsMax` requests wait already
   */
  begin(socket: Socket, response: ServerResponse, answer: () => void): boolean {
    const waiting = this.#waiting.get(socket) ?? []
    if (waiting.length >= LIMITS.pipelinedRequestsMax) return false
    waiting.push({ response, answer })
    this.#waiting.set(socket, waiting)
    if (waiting.length === 1) answerFirst(socket, waiting)
    return true
  }

  /** Returns the unanswered responses of a connection, in order. */
  of(socket: Socket): readonly ServerResponse[] {
    return (this.#waiting.get(socket) ?? []).map(({ response }) => response)
  }
}

function answerFirst(socket: Socket, waiting: Waiting[]): void {
  const [first] = waiting
  // A response on a connection that is ending would never emit `close`.
  if (first === undefined || !socket.writable) return
  first.response.once('close', () => {
    waiting.shift()
    answerFirst(socket, waiting)
  })
  first.answer()
}
