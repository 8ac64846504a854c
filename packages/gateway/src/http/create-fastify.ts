import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { LIMITS } from '@counterfoil/common'
import { originFormOf } from './check-request.ts'
import { answerMalformed } from './malformed.ts'

// No route has a schema. Fastify would load its compilers of schemas at each start.
const withoutSchemas = (): never => {
  throw new Error('expected no schema')
}
const NO_SCHEMAS = { buildValidator: withoutSchemas, buildSerializer: withoutSchemas }

export interface ListenOptions {
  /** Hosts that a request line may name, with the port unless it is the default port. */
  readonly hosts: ReadonlySet<string>
  /** Whether all connections come from a proxy, which limits those of each address itself. */
  readonly isBehindProxy: boolean
  /** PEM texts. Without them the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** Creates a Fastify server that reads no body and leaves every answer to the gateway. */
export function createFastify(
  { tls: pem, hosts, isBehindProxy }: ListenOptions,
  answerBadUrl: (error: Error, request: FastifyRequest, reply: FastifyReply) => void,
) {
  const unfinished = new WeakMap<Socket, ServerResponse[]>()
  // `checkRequest` answers a missing Host with a problem. Node would send an answer of its own.
  const parser = {
    maxHeaderSize: LIMITS.headerBytesMax,
    requireHostHeader: false,
    connectionsCheckingInterval: LIMITS.checkConnectionsMs,
  }
  const server = fastify({
    frameworkErrors: answerBadUrl,
    rewriteUrl: ({ url = '/' }) => originFormOf(url, hosts),
    requestTimeout: LIMITS.requestTimeoutMs,
    keepAliveTimeout: LIMITS.keepAliveTimeoutMs,
    connectionTimeout: LIMITS.stalledReaderMs,
    forceCloseConnections: 'idle',
    // A closing gateway answers with the problem `shutting-down`.
    return503OnClosing: false,
    schemaController: { compilersFactory: NO_SCHEMAS },
    genReqId: () => randomUUID(),
    clientErrorHandler: (error, socket) => {
      answerMalformed(error, socket, unfinished.get(socket) ?? [])
    },
    ...(pem
      ? { https: { ...pem, ...parser, handshakeTimeout: LIMITS.headersTimeoutMs } }
      : { http: parser }),
  })
  server.server.headersTimeout = LIMITS.headersTimeoutMs
  // Node would drop headers beyond its default number, so that the gateway would not see a header that is there twice.
  server.server.maxHeadersCount = 0
  server.server.on('timeout', (socket: Socket) => {
    // A report may take long to begin. Only a reader can stall.
    const isWaiting = unfinished.get(socket)?.length && socket.writableLength === 0
    if (!isWaiting) socket.destroy()
  })
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const responses = unfinished.get(socket) ?? []
    // Thousands of requests fit into a packet, and each would wait in memory.
    if (responses.length >= LIMITS.pipelinedRequestsMax) {
      socket.destroy()
      return
    }
    const before = responses.at(-1)
    unfinished.set(socket, responses)
    responses.push(response)
    response.once('close', () => responses.shift())
    // One after the other. A response of a connection that has ended would never emit `close`.
    const route = (): void => void (socket.writable && server.routing(request, response))
    if (before) before.once('close', route)
    else route()
  }
  server.server.removeAllListeners('request').on('request', begin)
  // Node would answer an unknown `Expect` header with an answer of its own.
  server.server.on('checkExpectation', begin)
  return { server, closeConnections: limitConnections(server.server, isBehindProxy) }
}

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
