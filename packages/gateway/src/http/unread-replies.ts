import type { ServerResponse } from 'node:http'
import { LIMITS } from '../limits.ts'

interface Unread {
  readonly response: ServerResponse
  readonly bytes: number
}

/**
 * The long replies that callers have not read yet. If they take too much memory together, the caller with the most
 * bytes loses its oldest reply. So a caller that reads nothing ends its own replies only.
 */
export class UnreadReplies {
  /** The replies of each caller, the oldest first. */
  readonly #ofCallers = new Map<string, { bytes: number; readonly replies: Set<Unread> }>()
  #bytes = 0

  /**
   * Counts a reply until its response closes. Does not count a short one.
   *
   * @param caller a login, or the address of a caller without one
   */
  hold(caller: string, response: ServerResponse, bytes: number): void {
    if (bytes <= LIMITS.replyPieceBytes || response.destroyed) return
    const own = this.#ofCallers.get(caller) ?? { bytes: 0, replies: new Set() }
    this.#ofCallers.set(caller, own)
    const reply = { response, bytes }
    own.replies.add(reply)
    own.bytes += bytes
    this.#bytes += bytes
    response.once('close', () => this.#release(caller, reply))
    while (this.#bytes > LIMITS.unreadRepliesBytesMax) this.#dropOne()
  }

  #release(caller: string, reply: Unread): void {
    const own = this.#ofCallers.get(caller)
    if (!own?.replies.delete(reply)) return
    own.bytes -= reply.bytes
    this.#bytes -= reply.bytes
    if (own.replies.size === 0) this.#ofCallers.delete(caller)
  }

  #dropOne(): void {
    let [caller, most] = ['', 0]
    for (const [other, { bytes }] of this.#ofCallers) {
      if (bytes > most) [caller, most] = [other, bytes]
    }
    const [oldest] = this.#ofCallers.get(caller)?.replies ?? []
    if (oldest === undefined) return
    this.#release(caller, oldest)
    oldest.response.destroy()
  }
}
