import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS } from '../limits.ts'

/** The responses of each connection that are not sent yet. A client may send more requests before (pipelining). */
export class Unanswered {
  readonly #responses = new WeakMap<Socket, Set<ServerResponse>>()
  readonly #ending = new WeakSet<Socket>()

  /**
   * Notes a request by its response, and returns whether it may be answered. Beyond `LIMITS.pipelinedRequestsMax` it
   * may not: nothing more is read of the connection, which ends after the responses before.
   */
  begin(socket: Socket, response: ServerResponse): boolean {
    if (this.#ending.has(socket)) return false
    const responses = this.of(socket)
    this.#responses.set(socket, responses)
    if (responses.size >= LIMITS.pipelinedRequestsMax) {
      this.#ending.add(socket)
      socket.pause()
      closeAfter(socket, responses)
      return false
    }
    responses.add(response)
    response.once('close', () => responses.delete(response))
    return true
  }

  /** The responses of a connection, in their order. */
  of(socket: Socket): Set<ServerResponse> {
    return this.#responses.get(socket) ?? new Set()
  }
}

/** Ends a connection once the last of its responses is sent. */
export function closeAfter(socket: Socket, responses: Iterable<ServerResponse>): void {
  const last = [...responses].at(-1)
  if (last === undefined) socket.destroySoon()
  else last.once('close', () => socket.destroySoon())
}
