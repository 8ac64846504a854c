import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

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
    server.get(path, (request, reply) => {
      reply.hijack()
      sendFile(request, reply, file)
    })
  }
  for (const [path, target] of redirects) {
    server.get(path, (_, reply) => {
      reply.hijack()
      reply.raw.writeHead(302, { Location: target, 'Cache-Control': 'no-store' }).end()
    })
  }
}

/** Sends a file, or status 304 if the caller has it. */
function sendFile(
  { headers: asked, method }: FastifyRequest,
  { raw: response }: FastifyReply,
  { contentType, bytes, gzip, etag, headers }: PublicFile,
): void {
  const common = {
    ...headers,
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
    Vary: 'Accept-Encoding',
  }
  if (asked['if-none-match'] === etag) {
    response.writeHead(304, common).end()
    return
  }
  const isGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(asked['accept-encoding'] ?? '')
  const body = isGzip ? gzip : bytes
  response.writeHead(200, {
    ...common,
    'Content-Type': contentType,
    'Content-Length': body.length,
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  })
  response.end(method === 'HEAD' ? undefined : body)
}
