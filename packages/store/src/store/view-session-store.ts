/**
 * A one-time link that begins a view session, or the session that it began. Both have the same id. The store knows the
 * SHA-256 of their tokens only.
 */
export interface ViewSession {
  readonly sessionId: string
  readonly login: string
  /** When the operator made the link. */
  readonly madeAt: Date
  /** When somebody used the link. Absent for an unused link. */
  readonly beganAt?: Date
  /** The end of the session, or of an unused link. */
  readonly expiresAt: Date
}

/** View sessions and their links. No method returns an expired one. */
export interface ViewSessionStore {
  /** Adds an unused link, and deletes what has expired. Refuses an unknown login, and one whose every key is revoked. */
  addLink(link: ViewSession, tokenHash: string): Promise<void>
  /**
   * Begins the session of a link, and replaces the hash of the link by the hash of the session. Of two calls for one
   * link, the first succeeds. Writes nothing if there is no such link.
   */
  begin(
    linkHash: string,
    session: { readonly tokenHash: string; readonly beganAt: Date; readonly expiresAt: Date },
  ): Promise<ViewSession | undefined>
  /** Finds a session by the hash of its token. Does not find links. */
  find(tokenHash: string, now: Date): Promise<ViewSession | undefined>
  /** Lists sessions and unused links, the oldest first. */
  list(now: Date): Promise<readonly ViewSession[]>
  /** Ends the session or the link of an id, or all of a login. Returns what it ended. */
  end(ended: ViewSessionKey, now: Date): Promise<readonly ViewSession[]>
}

/** What names view sessions and links. */
export type ViewSessionKey = { readonly sessionId: string } | { readonly login: string }
