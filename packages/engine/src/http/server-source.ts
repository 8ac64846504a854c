/** How the gateway logs in to a server. */
export interface ServerLogin {
  readonly user: string
  readonly password: string
  /** PEM of the certificate authority. The default is Node's list. */
  readonly ca?: string | undefined
}

/** Where a server is, and how the gateway logs in. */
export interface ServerAddress {
  readonly url: string
  readonly login: ServerLogin
}

/** A server that the gateway may use: its own, or one of the operator's. */
export interface ServerSource {
  /** What messages call it. */
  readonly name: string
  /** Resolves with the address. The own server has another one after each start. */
  readonly address: () => Promise<ServerAddress>
  readonly close: () => Promise<void>
  /** Whether it starts again when it ends. */
  readonly isOwn?: boolean
}

/** A server of the operator. */
export function serverAt(url: string, login: ServerLogin): ServerSource {
  return { name: url, address: async () => ({ url, login }), close: async () => {} }
}
