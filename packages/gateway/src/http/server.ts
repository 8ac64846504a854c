import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server as TlsServer } from 'node:tls'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import type { Log } from '../observe/log.ts'
import { answer, type SignedPath } from './answer.ts'
import { checkRequest, originFormOf } from './check-request.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { answerMalformed, problemOf } from './malformed.ts'
import { BodyMemory } from './read-body.ts'
import { pageReply, problemReply, sendReply } from './reply.ts'
import { RunningReports } from './running-reports.ts'
import { noteOutcome, pathOf, Traces } from './trace.ts'

/** What the server serves, and how. */
export interface ServerOptions {
  /** Paths that take signed POSTs, and what becomes of them; one may end with `ANY_SEGMENT`. */
  readonly signedPaths: ReadonlyMap<string, SignedPath>
  /** Paths that anybody may read, and what they say. */
  readonly pages: ReadonlyMap<string, object>
  /** Hosts, with their ports where those are not the usual ones, that a request line may name. */
  readonly hosts: ReadonlySet<string>
  readonly connections: ConnectionLimits
  readonly log: Log
  /** PEM texts; without them it speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** A server that can listen. */
export interface HttpServer {
  /** Throws `port` where somebody else has it. */
  readonly listen: (host: string, port: number) => Promise<AddressInfo>
  /** New connections get this certificate; those that are open go on. */
  readonly replaceTls: (tls: NonNullable<ServerOptions['tls']>) => void
  /** Takes no more requests, lets those that run end within a time, then ends them. */
  readonly close: (drainMs: number) => Promise<void>
}

/** How a path ends whose last segment is the caller's to choose. */
export const ANY_SEGMENT = '/:segment'

const HEALTH_PATH = '/healthz'

/** Makes the server: its paths, and one for health. Only `http/` knows HTTP. */
export function createHttpServer(options: ServerOptions): HttpServer {
  const { signedPaths, log } = options
  const pages = new Map([...options.pages, [HEALTH_PATH, { status: 'ok' }]])
  const traces = new Traces(log)
  const fail = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = problemOf(thrown)
    if (error.code === 'internal-error') log.error(`request ${request.id} failed`, thrown)
    noteOutcome(traces.of(request), { kind: 'problem', error })
    reply.hijack()
    void sendReply(request.raw, reply.raw, problemReply(error, request.id))
  }
  const lastAnswers = new WeakMap<Socket, ServerResponse>()
  const begin = (request: FastifyRequest, reply: FastifyReply): void => {
    lastAnswers.set(request.raw.socket, reply.raw)
    traces.begin(request, reply)
  }
  const server = createFastify(options, {
    answerBadUrl: (thrown, request, reply) => {
      begin(request, reply)
      fail(thrown, request, reply)
    },
    answerMalformed: (thrown, socket) => answerMalformed(thrown, socket, lastAnswers.get(socket)),
  })
  const methodsOf = new Map([
    ...[...signedPaths.keys()].map((path) => [path, 'POST'] as const),
    ...[...pages.keys()].map((path) => [path, 'GET, HEAD'] as const),
  ])
  const running = new RunningReports()
  const memory = new BodyMemory()
  let closing = false

  server.addHook('onRequest', async (request, reply) => {
    begin(request, reply)
    if (closing) throw new GatewayError('shutting-down', 'the gateway is shutting down')
    if (pathOf(request) === HEALTH_PATH) return
    checkRequest(request.raw)
    // The router would take a path that is percent-encoded otherwise, too.
    if (findPath(methodsOf, pathOf(request)) === undefined) throw notFound()
  })
  for (const [path, content] of pages) {
    server.get(path, async (request, reply) => {
      reply.hijack()
      await sendReply(request.raw, reply.raw, pageReply(content))
    })
  }
  for (const [path, signedPath] of signedPaths) {
    server.post(path, async (request, reply) => {
      reply.hijack()
      const signal = running.watch(reply.raw)
      const onReceived = (): void => running.begin(reply.raw)
      const trace = traces.of(request)
      await answer(signedPath, request, reply, { log, trace, memory, signal, onReceived })
    })
  }
  server.setNotFoundHandler((request, reply) => {
    const methods = findPath(methodsOf, pathOf(request))
    if (methods === undefined) throw notFound()
    reply.raw.setHeader('Allow', methods)
    throw new GatewayError('method-not-allowed', `expected ${methods}`)
  })
  server.setErrorHandler(fail)

  return {
    listen: (host, port) => listen(server, host, port),
    replaceTls: (tls) => {
      if (server.server instanceof TlsServer) server.server.setSecureContext(tls)
    },
    close: async (drainMs) => {
      closing = true
      await drain(server, running, drainMs)
    },
  }
}

/** What stands for a path, or for every path but for its last segment. */
function findPath<T>(paths: ReadonlyMap<string, T>, path: string): T | undefined {
  return paths.get(path) ?? paths.get(path.replace(/\/[^/]+$/, ANY_SEGMENT))
}

/** Closes a server: what runs may end within a time, and is ended then. */
async function drain(
  server: ReturnType<typeof createFastify>,
  running: RunningReports,
  drainMs: number,
): Promise<void> {
  const closed = server.close()
  const drained = new AbortController()
  const late = sleep(drainMs, undefined, { signal: drained.signal }).catch(() => {})
  // Requests that are still being received are not waited for.
  await Promise.race([closed, running.whenNone(), late])
  drained.abort()
  running.abort()
  server.server.closeAllConnections()
  await closed
}

function notFound(): GatewayError {
  return new GatewayError('not-found', 'expected a path that /.well-known/counterfoil tells')
}

async function listen(
  server: ReturnType<typeof createFastify>,
  host: string,
  port: number,
): Promise<AddressInfo> {
  try {
    // For the name, Fastify would open a second server for ::1, without this one's limits.
    await server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `expected to listen on ${host}:${port}: ${reason}`
    throw new GatewayError('port', message, { cause })
  }
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  return address
}

/** Who answers what does not reach a route. */
interface Answerers {
  readonly answerBadUrl: (error: Error, request: FastifyRequest, reply: FastifyReply) => void
  readonly answerMalformed: (error: Error, socket: Socket) => void
}

function createFastify({ tls, hosts, connections }: ServerOptions, answerers: Answerers) {
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
    clientErrorHandler: answerers.answerMalformed,
    ...(tls ? { https: { ...tls, ...parser } } : { http: parser }),
  })
  server.server.headersTimeout = LIMITS.headersTimeoutMs
  // Left to Node, an expectation that it does not know gets an answer of its own kind.
  server.server.on('checkExpectation', (request, response) => server.routing(request, response))
  limitConnections(server.server, connections)
  // `receive` reads the body, as it was sent and once it is known to be wanted.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_, __, done) => done(null))
  return server
}
