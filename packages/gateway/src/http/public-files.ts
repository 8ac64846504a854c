import type { FastifyInstance, FastifyRequest } from 'fastify'
import { acceptsGzip } from './content-coding.ts'
import { type Reply, sendReply } from './reply.ts'

/** A file that everybody may read. The gateway holds it in memory, as it is and compressed. */
export interface PublicFile {
  readonly contentType: string
  readonly bytes: Buffer
  readonly gzip: Buffer
  /** The validator of the bytes (RFC 9110, section 8.8.3). */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/** The files that everybody may read, by path, and the paths that lead to another one. */
export interface PublicFiles {
  readonly files: ReadonlyMap<string, PublicFile>
  readonly redirects: ReadonlyMap<string, string>
}

/** Adds the routes of the files and redirects. */
export function servePublicFiles(
  server: Pick<FastifyInstance, 'get'>,
  { files, redirects }: PublicFiles,
): void {
  for (const [path, file] of files) {
    server.get(path, async (request, reply) => {
      reply.hijack()
      await sendReply(request.raw, reply.raw, replyWith(file, request.headers))
    })
  }
  for (const [path, target] of redirects) {
    const redirect = { Location: target, 'Cache-Control': 'no-store' }
    server.get(path, async (request, reply) => {
      reply.hijack()
      await sendReply(request.raw, reply.raw, { status: 302, headers: redirect, text: '' })
    })
  }
}

/** Returns the reply with a file, or status 304 if the caller has it. */
function replyWith(
  { contentType, bytes, gzip, etag, headers }: PublicFile,
  asked: FastifyRequest['headers'],
): Reply<string | Buffer> {
  const common = {
    ...headers,
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
    Vary: 'Accept-Encoding',
  }
  if (asked['if-none-match'] === etag) return { status: 304, headers: common, text: '' }
  const isGzip = acceptsGzip(asked['accept-encoding'])
  return {
    status: 200,
    headers: {
      ...common,
      'Content-Type': contentType,
      ...(isGzip && { 'Content-Encoding': 'gzip' }),
    },
    text: isGzip ? gzip : bytes,
  }
}
