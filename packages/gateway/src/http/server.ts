import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server as TlsServer } from 'node:tls'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '@counterfoil/common'
import type { RequestObserver } from '../observe/request-summary.ts'
import { answer, type SignedPath } from './answer.ts'
import { checkRequest, expectedMethods, knownPaths } from './check-request.ts'
import { createFastify, type ListenOptions } from './create-fastify.ts'
import { answerMalformed, problemOf } from './malformed.ts'
import { bindAddress, portFault } from './probe-port.ts'
import { jsonAnswer, type PublicAnswer } from './public-answers.ts'
import { BodyMemory } from './read-body.ts'
import { jsonReply, problemReply, type Reply, sendReply } from './reply.ts'
import { RunningReports } from './running-reports.ts'
import { noteOutcome, pathOf, watchAnswer, watchRequest } from './watch-request.ts'

/** What the server serves, and how it listens. */
export interface ServerOptions extends ListenOptions {
  /** The paths of signed requests, and of view sessions. A path may end with `ANY_SEGMENT`. */
  readonly signedPaths: ReadonlyMap<string, SignedPath>
  /** The answers that callers may read without a signature, by path. */
  readonly publicAnswers: ReadonlyMap<string, PublicAnswer>
  /** Whether the gateway can run reports now. */
  readonly isReady: () => Promise<boolean>
  /** How far each source goes. */
  readonly sources: () => Promise<readonly SourceFreshness[] | undefined>
  readonly observer: RequestObserver
}

/** How far a source goes, for everybody who may ask whether the gateway is ready. */
export interface SourceFreshness {
  readonly source: string
  readonly syncedAt: string | undefined
  readonly isFailing: boolean
}

/** A server that can listen. */
export interface HttpServer {
  /** Throws `port` if the server cannot listen there. */
  readonly listen: (host: string, port: number) => Promise<AddressInfo>
  /** New connections get this certificate. Open connections keep theirs. */
  readonly replaceTls: (tls: NonNullable<ServerOptions['tls']>) => void
  /** Refuses new requests, gives running requests `drainMs` to end, then aborts them. */
  readonly close: (drainMs: number) => Promise<void>
}

/** The process runs. `/healthz` is the old path. */
export const LIVE_PATHS = ['/livez', '/healthz']
/** The gateway can run reports. */
export const READY_PATH = '/readyz'
const HEALTH_PATHS = new Set([...LIVE_PATHS, READY_PATH])

/** Creates the server with its paths and the paths for health. */
export function createHttpServer(options: ServerOptions): HttpServer {
  const { signedPaths, observer } = options
  const publicAnswers = new Map([
    ...options.publicAnswers,
    ...LIVE_PATHS.map((path) => [path, jsonAnswer({ status: 'ok' })] as const),
    [READY_PATH, () => answerReady(options)],
  ])
  const fail = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = problemOf(thrown)
    noteOutcome(observer, request, { kind: 'problem', error })
    reply.hijack()
    void sendReply(request.raw, reply.raw, problemReply(error, request.id))
  }
  const { server, closeConnections } = createFastify(options, {
    answerBadUrl: (thrown, request, reply) => {
      watchRequest(observer, request, reply)
      fail(thrown, request, reply)
    },
    answerMalformed,
  })
  const methodsAt = knownPaths(signedPaths, publicAnswers.keys())
  const running = new RunningReports()
  const memory = new BodyMemory()
  let closing = false

  server.addHook('onRequest', async (request, reply) => {
    watchRequest(observer, request, reply)
    if (closing) throw new GatewayError('shutting-down', 'The gateway is shutting down.')
    if (!HEALTH_PATHS.has(pathOf(request))) checkRequest(request.raw)
    // The router alone would also accept other percent-encodings of a path.
    const methods = methodsAt(pathOf(request))
    if (methods.split(', ').includes(request.method)) return
    reply.raw.setHeader('Allow', methods)
    throw new GatewayError('method-not-allowed', expectedMethods(methods, request.method))
  })
  for (const [path, answerPublicly] of publicAnswers) {
    server.get(path, async (request, reply) => {
      reply.hijack()
      await sendReply(request.raw, reply.raw, await answerPublicly(request.headers))
    })
  }
  for (const [path, signedPath] of signedPaths) {
    const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      reply.hijack()
      const signal = running.watch(reply.raw)
      const onReceived = (): void => running.begin(reply.raw)
      const context = { memory, observer, signal, onReceived }
      await watchAnswer(reply.raw, answer(signedPath, request, reply, context))
    }
    // A hook of the route runs before Fastify refuses a malformed Content-Type, which only a signed caller learns.
    const method = [...(signedPath.methods ?? ['POST'])]
    server.route({ method, url: path, onRequest: handle, handler: () => {} })
  }
  server.setErrorHandler(fail)

  return {
    listen: (host, port) => listen({ server }, host, port),
    replaceTls: (tls) => {
      if (server.server instanceof TlsServer) server.server.setSecureContext(tls)
    },
    close: async (drainMs) => {
      closing = true
      await drain({ server, closeConnections }, running, drainMs)
    },
  }
}

/** Says whether the gateway can run reports, and how far each source goes. */
async function answerReady({
  isReady,
  sources,
}: Pick<ServerOptions, 'isReady' | 'sources'>): Promise<Reply> {
  const [ready, known] = await Promise.all([isReady(), sources()])
  if (!ready) return jsonReply({ status: 'not-ready' }, 503)
  return jsonReply({ status: 'ok', ...(known?.length && { sources: known }) })
}

/** Closes a server: running requests get `drainMs` to end, then they are aborted. */
async function drain(
  { server, closeConnections }: ReturnType<typeof createFastify>,
  running: RunningReports,
  drainMs: number,
): Promise<void> {
  const closed = server.close()
  const drained = new AbortController()
  const late = sleep(drainMs, undefined, { signal: drained.signal }).catch(() => {})
  // Do not wait for requests that are still being received.
  await Promise.race([closed, running.whenNone(), late])
  drained.abort()
  running.abort()
  closeConnections()
  await closed
}

async function listen(
  { server }: Pick<ReturnType<typeof createFastify>, 'server'>,
  host: string,
  port: number,
): Promise<AddressInfo> {
  try {
    // For the name `localhost`, Fastify would open a second server on ::1 without the limits of this one.
    await server.listen({ host: bindAddress(host), port })
  } catch (cause) {
    throw portFault(host, port, cause)
  }
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  return address
}
