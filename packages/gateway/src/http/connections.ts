import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { LIMITS } from '../limits.ts'
import { readOpenFilesMax } from './open-files.ts'

/** How many connections may be open. */
export interface ConnectionLimits {
  readonly max: number
  /** Maximum from one address. An IPv6 network of 64 bits counts as one address. */
  readonly perAddressMax: number
  /** Whether reports and connections together can need more files than the process may open. */
  readonly isTight: boolean
}

/**
 * Computes how many connections the gateway can accept and still leave the engine enough open files.
 *
 * @param openFilesMax files and connections that the process may have open
 * @param reports reports that may run at the same time
 * @param isBehindProxy whether all connections come from a proxy's address
 */
export function connectionLimits(
  openFilesMax: number,
  reports: number,
  isBehindProxy: boolean,
): ConnectionLimits {
  const { addressShareMax, connectionsMax, connectionsPerAddressMax } = LIMITS
  const { connectionsShareMin, ownFilesMax, filesPerReportMax } = LIMITS
  const left = openFilesMax - ownFilesMax - reports * filesPerReportMax
  const least = Math.ceil(openFilesMax * connectionsShareMin)
  const max = Math.min(connectionsMax, Math.max(least, left))
  const share = Math.min(connectionsPerAddressMax, Math.ceil(max * addressShareMax))
  return {
    max,
    perAddressMax: isBehindProxy ? max : share,
    isTight: left < least,
  }
}

/**
 * Computes the limits of this process's connections.
 *
 * @param onWarning hears that the process may open too few files
 */
export function readConnectionLimits(
  reports: number,
  isBehindProxy: boolean,
  onWarning: (message: string) => void,
): ConnectionLimits {
  const openFilesMax = readOpenFilesMax()
  const limits = connectionLimits(openFilesMax, reports, isBehindProxy)
  if (limits.isTight) {
    const { max, perAddressMax } = limits
    const share = perAddressMax < max ? `, ${perAddressMax} of them from one address` : ''
    onWarning(
      `The process may open ${openFilesMax} files only. It accepts ${max} connections${share}, and ` +
        'reports may fail under load. Raise the limit, for example with "ulimit -n 65536".',
    )
  }
  return limits
}

/** Closes connections of a server. */
export interface Connections {
  /** Closes every connection, also during its TLS handshake. */
  closeAll(): void
  /**
   * Closes a connection that sent too many requests or key updates. Node parses a complete chunk before the gateway can
   * close its connection, so the address pays with new connections. Without any left, it loses all its connections.
   */
  closeCostly(socket: Socket): void
}

/**
 * Closes new connections beyond the limits. Without a declared proxy it also limits how often an address connects. A
 * server that refuses a connection because it is full closes its idle connections.
 */
export function limitConnections(
  server: Server & { closeIdleConnections(): void },
  { max, perAddressMax }: Omit<ConnectionLimits, 'isTight'>,
): Connections {
  const open = new Map<string, Set<Socket>>()
  const recent = new Map<string, number>()
  const newMax = perAddressMax < max ? LIMITS.newConnectionsMax : Infinity
  const timer = setInterval(() => recent.clear(), LIMITS.connectionsWindowMs).unref()
  server.once('close', () => clearInterval(timer))
  server.maxConnections = max
  server.on('drop', () => server.closeIdleConnections())
  /** Records new connections. Returns whether their address has too many. */
  const count = (network: string, connections: number): boolean => {
    const begun = (recent.get(network) ?? 0) + connections
    recent.set(network, begun)
    return begun > newMax
  }
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    const sockets = open.get(network) ?? new Set()
    open.set(network, sockets.add(socket))
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) open.delete(network)
    })
    if (count(network, 1) || sockets.size > perAddressMax) socket.destroy()
  })
  return {
    closeAll() {
      for (const sockets of open.values()) destroyAll(sockets)
    },
    closeCostly(socket) {
      if (socket.destroyed) return
      const network = networkOf(socket.remoteAddress ?? '')
      socket.destroy()
      if (count(network, LIMITS.costlyConnectionCost)) destroyAll(open.get(network) ?? [])
    },
  }
}

// OpenSSL's label of a client's secret after a key update.
const KEY_UPDATE = 'CLIENT_TRAFFIC_SECRET_N '

/**
 * Closes a connection over TLS 1.3 that updates its keys too often. A key update is 27 bytes and costs the main thread
 * about 15 µs, because the server answers it with one of its own. Node has no event for key updates. OpenSSL reports
 * each new secret to a log of keys, which this function does not keep.
 */
export function limitKeyUpdates(server: Server, closeCostly: (socket: Socket) => void): void {
  const updates = new WeakMap<TLSSocket, number>()
  server.on('keylog', (line: Buffer, socket: TLSSocket) => {
    if (line.toString('latin1', 0, KEY_UPDATE.length) !== KEY_UPDATE) return
    const count = (updates.get(socket) ?? 0) + 1
    updates.set(socket, count)
    if (count > LIMITS.keyUpdatesMax) closeCostly(socket)
  })
}

function destroyAll(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy()
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
