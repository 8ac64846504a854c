import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS } from '../limits.ts'

/** The responses of each connection that are not sent yet. A client may send more requests before (pipelining). */
export class Unanswered {
  readonly #responses = new WeakMap<Socket, Set<ServerResponse>>()

  /** Notes a request by its response; returns false where the connection has `LIMITS.pipelinedRequestsMax` already. */
  begin(socket: Socket, response: ServerResponse): boolean {
    const responses = this.#responses.get(socket) ?? new Set()
    if (responses.size >= LIMITS.pipelinedRequestsMax) return false
    this.#responses.set(socket, responses.add(response))
    response.once('close', () => responses.delete(response))
    return true
  }

  /** The responses of a connection, in their order. */
  of(socket: Socket): Iterable<ServerResponse> {
    return this.#responses.get(socket) ?? []
  }
}
