import type { Server, Socket } from 'node:net'
import { LIMITS } from '@counterfoil/common'

/**
 * Closes new connections beyond `LIMITS.connectionsMax`, and beyond `LIMITS.connectionsPerAddressMax` of one address.
 *
 * @param isBehindProxy whether all connections come from a proxy's address, which then may have all of them
 * @returns a function that closes every connection, also during its TLS handshake
 */
export function limitConnections(
  server: Server & { closeIdleConnections(): void },
  isBehindProxy: boolean,
): () => void {
  const open = new Map<string, Set<Socket>>()
  server.maxConnections = LIMITS.connectionsMax
  server.on('drop', () => server.closeIdleConnections())
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    const sockets = open.get(network) ?? new Set()
    open.set(network, sockets.add(socket))
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) open.delete(network)
    })
    if (!isBehindProxy && sockets.size > LIMITS.connectionsPerAddressMax) socket.destroy()
  })
  return () => {
    for (const sockets of open.values()) for (const socket of sockets) socket.destroy()
  }
}

/** Returns an IPv4 address unchanged, and the first 64 bits of an IPv6 address, because one caller has all of them. */
export function networkOf(address: string): string {
  const [, ipv4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (ipv4 !== undefined) return ipv4
  const [head = '', tail = ''] = address.split('::')
  const groups = head.split(':')
  const missing = address.includes('::') ? 8 - groups.length - tail.split(':').length : 0
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...tail.split(':')]
    .slice(0, 4)
    .join(':')
}
