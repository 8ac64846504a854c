import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server as TlsServer } from 'node:tls'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '@counterfoil/common'
import type { RequestObserver } from '../observe/request-summary.ts'
import { answer, type SignedPath } from './answer.ts'
import { checkRequest, expectedMethods, knownPaths } from './check-request.ts'
import { createFastify, type ListenOptions } from './create-fastify.ts'
import { problemOf } from './malformed.ts'
import { type ListenAddress, listenAt } from './listen.ts'
import { BodyMemory } from './read-body.ts'
import { problemReply, type PublicAnswer, type Reply, replyOf, sendReply } from './reply.ts'
import { noteOutcome, pathOf, watchAnswer, watchRequest } from './watch-request.ts'

export interface ServerOptions extends ListenOptions {
  /** The paths of signed requests, and of view sessions. A path may end with `ANY_SEGMENT`. */
  readonly signedPaths: ReadonlyMap<string, SignedPath>
  /** The answers that callers may read without a signature, by path. */
  readonly publicAnswers: ReadonlyMap<string, PublicAnswer>
  readonly readiness: () => Promise<Readiness>
  readonly observer: RequestObserver
}

/** Whether the gateway can run reports, and how far each source goes. */
export interface Readiness {
  readonly status: 'ok' | 'not-ready'
  readonly sources?: readonly {
    readonly source: string
    readonly syncedAt: string | undefined
    readonly isFailing: boolean
  }[]
}

export type HttpServer = ReturnType<typeof createHttpServer>

/** The process runs. */
export const LIVE_PATH = '/livez'
/** The gateway can run reports. */
export const READY_PATH = '/readyz'
const HEALTH_PATHS = new Set([LIVE_PATH, READY_PATH])

/** Creates the server with its paths and the paths for health. */
export function createHttpServer(options: ServerOptions) {
  const { signedPaths, observer } = options
  const publicAnswers = new Map([...options.publicAnswers, ...healthAnswersOf(options)])
  const fail = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = problemOf(thrown)
    noteOutcome(observer, request, { kind: 'problem', error })
    reply.hijack()
    void sendReply(request.raw, reply.raw, problemReply(error, request.id))
  }
  const { server, closeConnections } = createFastify(options, (thrown, request, reply) => {
    watchRequest(observer, request, reply)
    fail(thrown, request, reply)
  })
  const methodsAt = knownPaths(signedPaths, publicAnswers.keys())
  const received = new Set<ServerResponse>()
  const context = { observer, received, memory: new BodyMemory() }
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
  for (const [path, known] of publicAnswers) {
    server.get(path, async ({ raw }, reply) => {
      reply.hijack()
      await sendReply(
        raw,
        reply.raw,
        typeof known === 'function' ? await known(raw.headers) : known,
      )
    })
  }
  for (const [path, signedPath] of signedPaths) {
    const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      reply.hijack()
      await watchAnswer(reply.raw, answer(signedPath, request, reply, context))
    }
    // A hook of the route runs before Fastify refuses a malformed Content-Type, which only a signed caller learns.
    const method = [...(signedPath.methods ?? ['POST'])]
    server.route({ method, url: path, onRequest: handle, handler: () => {} })
  }
  server.setErrorHandler(fail)

  return {
    // For the name `localhost`, Fastify would open a second server on ::1 without the limits of this one.
    listen: (address: ListenAddress) => {
      return listenAt(server.server, address, (at) => server.listen(at))
    },
    /** New connections get this certificate. Open connections keep theirs. */
    replaceTls: (tls: NonNullable<ServerOptions['tls']>): void => {
      if (server.server instanceof TlsServer) server.server.setSecureContext(tls)
    },
    /** Refuses new requests, gives running requests `drainMs` to end, then aborts them. */
    close: async (drainMs: number): Promise<void> => {
      closing = true
      const closed = server.close()
      await Promise.race([closed, answeredWithin(received, drainMs)])
      closeConnections()
      await closed
    },
  }
}

function healthAnswersOf({ readiness }: ServerOptions): ReadonlyMap<string, PublicAnswer> {
  const readReadiness = async (): Promise<Reply> => {
    const content = await readiness()
    return replyOf(content, { status: content.status === 'ok' ? 200 : 503 })
  }
  return new Map<string, PublicAnswer>([
    [LIVE_PATH, replyOf({ status: 'ok' })],
    [READY_PATH, readReadiness],
  ])
}

/** Waits for the responses to received requests, and not for requests that are still being received. */
async function answeredWithin(received: Iterable<ServerResponse>, ms: number): Promise<void> {
  const answered = async (): Promise<void> => {
    for (const response of received) await once(response, 'close')
  }
  await Promise.race([answered(), sleep(ms, undefined, { ref: false })])
}
