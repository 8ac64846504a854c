import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { LIMITS } from '../limits.ts'
import { originFormOf } from './check-request.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { Unanswered } from './unanswered.ts'

/** How the server listens. */
export interface ListenOptions {
  /** Hosts, with their ports where those are not the usual ones, that a request line may name. */
  readonly hosts: ReadonlySet<string>
  readonly connections: ConnectionLimits
  /** PEM texts; without them the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** Who answers what does not reach a route. */
interface Answerers {
  readonly answerBadUrl: (error: Error, request: FastifyRequest, reply: FastifyReply) => void
  /** `unanswered`: the connection's responses that are not sent yet. */
  readonly answerMalformed: (
    error: Error,
    socket: Socket,
    unanswered: readonly ServerResponse[],
  ) => void
}

/** Makes a Fastify that reads no body, and leaves every answer to us; and what closes all its connections. */
export function createFastify({ tls, hosts, connections }: ListenOptions, answerers: Answerers) {
  const unanswered = new Unanswered()
  // Left to Node, a missing Host gets an answer of its own kind.
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
    // A closing gateway answers with its own problem.
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    clientErrorHandler: (error, socket) => {
      answerers.answerMalformed(error, socket, unanswered.of(socket))
    },
    ...(tls
      ? { https: { ...tls, ...parser, handshakeTimeout: LIMITS.headersTimeoutMs } }
      : { http: parser }),
  })
  server.server.headersTimeout = LIMITS.headersTimeoutMs
  // Before Fastify: a stranger may send thousands of requests at once, which would wait for their ends in memory.
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const route = (): void => server.routing(request, response)
    if (!unanswered.begin(socket, response, route)) socket.destroy()
  }
  server.server.removeAllListeners('request').on('request', begin)
  // Left to Node, an expectation that it does not know gets an answer of its own kind.
  server.server.on('checkExpectation', begin)
  const closeConnections = limitConnections(server.server, connections)
  // `receive` reads the body, as it was sent and once it is known to be wanted.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_, __, done) => done(null))
  return { server, closeConnections }
}
