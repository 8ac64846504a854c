import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import tls from 'node:tls'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { AddressTurns, REQUESTS_PER_ROUND } from './address-turns.ts'
import { hasTooManyHeaders, originFormOf } from './check-request.ts'
import {
  type ConnectionLimits,
  limitConnections,
  limitKeyUpdates,
  networkOf,
} from './connections.ts'
import { Unanswered } from './unanswered.ts'

// A renegotiation costs as much as a handshake. Node would allow three on each connection.
Object.assign(tls, { CLIENT_RENEG_LIMIT: 0 })

const TOO_MANY = `expected at most ${LIMITS.headersMax} headers`

// No route has a schema. Fastify would load its compilers of schemas at each start.
const withoutSchemas = (): never => {
  throw new Error('expected no schema')
}
const NO_SCHEMAS = { buildValidator: withoutSchemas, buildSerializer: withoutSchemas }

/** How the server listens. */
export interface ListenOptions {
  /** Hosts that a request line may name, with the port unless it is the default port. */
  readonly hosts: ReadonlySet<string>
  readonly connections: ConnectionLimits
  /** PEM texts. Without them the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** The functions that answer requests that reach no route. */
interface Answerers {
  readonly answerBadUrl: (error: Error, request: FastifyRequest, reply: FastifyReply) => void
  /** `unanswered` are the connection's responses that the server has not finished. */
  readonly answerMalformed: (
    error: Error,
    socket: Socket,
    unanswered: readonly ServerResponse[],
  ) => void
}

/**
 * Creates a Fastify server that reads no body and leaves every answer to the gateway.
 *
 * @returns the server, and a function that closes all its connections
 */
export function createFastify(
  { tls: pem, hosts, connections }: ListenOptions,
  answerers: Answerers,
) {
  const unanswered = new Unanswered()
  // All callers of a proxy have its address. Their turns would make them wait for each other.
  const isBehindProxy = connections.perAddressMax >= connections.max
  const turns = new AddressTurns(isBehindProxy ? Infinity : REQUESTS_PER_ROUND)
  // `checkRequest` answers a missing Host with a problem. Node would send an answer of its own.
  const parser = {
    maxHeaderSize: LIMITS.headerBytesMax,
    requireHostHeader: false,
    connectionsCheckingInterval: LIMITS.checkConnectionsMs,
  }
  const server = fastify({
    frameworkErrors: answerers.answerBadUrl,
    rewriteUrl: ({ url = '/' }) => originFormOf(url, hosts),
    requestTimeout: LIMITS.requestTimeoutMs,
    keepAliveTimeout: LIMITS.keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    // A closing gateway answers with the problem `shutting-down`.
    return503OnClosing: false,
    schemaController: { compilersFactory: NO_SCHEMAS },
    genReqId: () => randomUUID(),
    clientErrorHandler: (error, socket) => {
      const isRenegotiation = 'code' in error && error.code === 'ERR_TLS_SESSION_ATTACK'
      if (isRenegotiation) limited.closeCostly(socket)
      else answerers.answerMalformed(error, socket, unanswered.of(socket))
    },
    ...(pem
      ? { https: { ...pem, ...parser, handshakeTimeout: LIMITS.headersTimeoutMs } }
      : { http: parser }),
  })
  server.server.headersTimeout = LIMITS.headersTimeoutMs
  // Node drops the headers beyond this number, and `hasTooManyHeaders` sees that there were more than allowed.
  server.server.maxHeadersCount = LIMITS.headersMax + 1
  const limited = limitConnections(server.server, connections)
  if (pem) limitKeyUpdates(server.server, (socket) => limited.closeCostly(socket))
  // This comes before Fastify: a stranger may pipeline thousands of requests, and each would wait in memory.
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    if (hasTooManyHeaders(request)) {
      answerers.answerMalformed(
        new GatewayError('headers-too-large', TOO_MANY),
        socket,
        unanswered.of(socket),
      )
      return
    }
    const route = (): void => {
      // A response of a connection that has ended would never emit `close`.
      if (!socket.destroyed) server.routing(request, response)
    }
    const address = networkOf(socket.remoteAddress ?? '')
    const isBegun = unanswered.begin(socket, response, () => turns.add(address, route))
    if (!isBegun) limited.closeCostly(socket)
  }
  server.server.removeAllListeners('request').on('request', begin)
  // Node would answer an unknown `Expect` header with an answer of its own.
  server.server.on('checkExpectation', begin)
  return { server, closeConnections: () => limited.closeAll() }
}
